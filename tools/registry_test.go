package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/tool"
)

// Each tool's definition matches its snapshot in testdata. Run with -update after an intended change.
func TestSchemaSnapshots(t *testing.T) {
	for _, d := range Definitions() {
		t.Run(d.Name, func(t *testing.T) {
			got, err := json.MarshalIndent(d.Definition(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			file := filepath.Join("testdata", d.Name+".json")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%s is missing: make it with go test ./tools -run Snapshots -update", file)
			} else if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the definition is not that of %s any more (if that is meant: go test ./tools -run Snapshots -update); it is now\n%s", file, got)
			}
		})
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(Definitions()) {
		t.Errorf("%d snapshots for %d tools: remove those of tools that are gone", len(files), len(Definitions()))
	}
}

// A tool whose schema does not compile would have no checks.
func TestSchemasCompile(t *testing.T) {
	for _, d := range Definitions() {
		if _, err := d.Input.Compile(d.Name + "-input"); err != nil {
			t.Error(err)
		}
		if _, err := d.Output.Compile(d.Name + "-output"); err != nil {
			t.Error(err)
		}
	}
}

// Every tool's description is complete, and every input is bounded.
func TestDefinitionsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Definitions() {
		if seen[d.Name] {
			t.Errorf("two tools are called %s", d.Name)
		}
		seen[d.Name] = true
		test.NotEq(t, "", d.Title)
		must.GreaterEq(t, 60, len(d.Description))
		test.LessEq(t, 300, utf8.RuneCountInString(d.Description))
		if d.Hints.ReadOnly && d.Hints.Destructive {
			t.Errorf("%s is read-only and destructive", d.Name)
		}
		for _, set := range append([]string{d.Toolset}, d.Also...) {
			if !slices.Contains(ToolsetNames(), set) {
				t.Errorf("%s is in a toolset %q, which there is not", d.Name, set)
			}
		}
		var in, out map[string]any
		if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(d.Output.Raw(), &out); err != nil {
			t.Fatal(err)
		}
		if out["type"] != "object" {
			t.Errorf("%s: the result is no object", d.Name)
		}
		if d.Name == nameCallTool {
			continue // its arguments are checked as those of the called tool
		}
		bounded(t, d.Name, in)
	}
}

// bounded fails the test where a schema lets arguments of any size through.
func bounded(t *testing.T, at string, s map[string]any) {
	t.Helper()
	has := func(keys ...string) {
		for _, k := range keys {
			if _, ok := s[k]; !ok {
				t.Errorf("%s has no %s", at, k)
			}
		}
	}
	kind := s["type"]
	if either, ok := kind.([]any); ok && len(either) == 2 && either[1] == "null" {
		kind = either[0] // nullable
	}
	switch kind {
	case "object":
		if s["additionalProperties"] != false {
			t.Errorf("%s takes members that it does not name", at)
		}
		for name, p := range s["properties"].(map[string]any) {
			bounded(t, at+"."+name, p.(map[string]any))
		}
	case "array":
		has("minItems", "maxItems", "items")
		bounded(t, at+"[]", s["items"].(map[string]any))
	case "string":
		if _, ok := s["enum"]; !ok {
			has("maxLength")
		}
	case "integer":
		has("minimum", "maximum")
	case "number":
		has("maximum")
	case "boolean":
	default:
		t.Errorf("%s has the type %v", at, s["type"])
	}
}

func TestParseToolsets(t *testing.T) {
	for list, want := range map[string]string{
		"":                  "",
		"default":           "",
		"default,runs":      "core,runs",
		"all":               "core,pair,rtc-mcp,notebook,runs,document,rtc,analysis,context,cells,datalayer,datalayer-today",
		"rtc":               "rtc",
		" rtc , notebook,":  "notebook,rtc",
		"rtc,rtc":           "rtc",
		"rtc,default,bogus": `no toolset "bogus": choose from core, pair, rtc-mcp, notebook, runs, document, rtc, analysis, context, cells, datalayer, datalayer-today, default, all`,
		" , ":               "is empty",
	} {
		got, err := ParseToolsets(list)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("ParseToolsets(%q): %v", list, err)
			}
		} else if strings.Join(got, ",") != want {
			t.Errorf("ParseToolsets(%q) = %v, want %s", list, got, want)
		}
	}
}

func TestReadOnlyLeavesOutWhatWrites(t *testing.T) {
	names := func(ts []tool.Tool) (out []string) {
		for _, t := range ts {
			out = append(out, t.Name)
		}
		return out
	}
	got := names(selected(Definitions(), []string{tool.ToolsetNotebook, tool.ToolsetRTC}, true))
	want := []string{"get_base_url", "nb_path_from_url", "list_nbs", "get_nb_stat", "read_nb_cells", "list_available_kernels", "query_nb_sessions", "query_document_session"}
	if !slices.Equal(got, want) {
		t.Errorf("read-only: %v", got)
	}
	if got := names(selected(Definitions(), []string{tool.ToolsetRTC}, false)); !slices.Equal(got, []string{"query_nb_sessions", "end_nb_session", "query_document_session", "end_document_session"}) {
		t.Errorf("rtc: %v", got)
	}
}

const (
	tableBegin = "<!-- tools:begin -->"
	tableEnd   = "<!-- tools:end -->"
)

// The README's table of tools matches their definitions.
func TestREADMETable(t *testing.T) {
	const file = "README.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), tableBegin)
	old, tail, ok2 := strings.Cut(rest, tableEnd)
	must.True(t, ok, must.Sprint(file, tableBegin, tableEnd))
	must.True(t, ok2, must.Sprint(file, tableBegin, tableEnd))
	table := readmeTable()
	if old == table {
		return
	}
	if !*update {
		t.Fatalf("the table of tools in %s is out of date: go test ./tools -run README -update", file)
	}
	if err := os.WriteFile(file, []byte(head+tableBegin+table+tableEnd+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readmeTable lists the tools by toolset, each with its arguments, its purpose and its hints.
func readmeTable() string {
	var b strings.Builder
	b.WriteString("\n")
	for _, set := range Toolsets() {
		fmt.Fprintf(&b, "\n**%s**: %s", set.Name, set.Description)
		if !set.Default {
			b.WriteString(" (off unless named)")
		}
		var own, shared []tool.Tool
		for _, d := range selected(Definitions(), []string{set.Name}, false) {
			if d.Toolset == set.Name {
				own = append(own, d)
			} else {
				shared = append(shared, d)
			}
		}
		b.WriteString("\n\n")
		if len(shared) > 0 {
			var names []string
			for _, d := range shared {
				names = append(names, "`"+d.Name+"`")
			}
			b.WriteString("Of the other sets: " + strings.Join(names, ", ") + "\n\n")
		}
		if len(own) == 0 {
			continue
		}
		b.WriteString("| tool | arguments | what it does |\n| --- | --- | --- |\n")
		for _, d := range own {
			first, _, _ := strings.Cut(d.Description, ". ")
			fmt.Fprintf(&b, "| `%s`%s | %s | %s. |\n", d.Name, badge(d.Hints), argumentList(d), strings.TrimSuffix(first, "."))
		}
	}
	b.WriteString("\n")
	return b.String()
}

func badge(m tool.Hints) string {
	switch {
	case m.ReadOnly:
		return " (reads)"
	case m.Destructive:
		return " (writes, can destroy)"
	default:
		return " (writes)"
	}
}

func argumentList(d tool.Tool) string {
	var in struct {
		Required   []string        `json:"required"`
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
		return err.Error()
	}
	dec := json.NewDecoder(bytes.NewReader(in.Properties))
	var names []string
	for depth := 0; ; {
		tok, err := dec.Token()
		if err != nil {
			break
		}
		switch tok := tok.(type) {
		case json.Delim:
			if tok == '{' || tok == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth != 1 {
				continue
			}
			name := "`" + tok + "`"
			if !slices.Contains(in.Required, tok) {
				name = "[" + name + "]"
			}
			names = append(names, name)
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				return err.Error()
			}
		}
	}
	return strings.Join(names, ", ")
}

// today are the names that jupyter-mcp-server lists.
var today = []string{
	"clear_cell_output", "connect_to_jupyter", "delete_cell", "edit_cell_source", "execute_cell", "execute_code", "insert_cell",
	"insert_execute_code_cell", "list_files", "list_kernels", "list_notebooks", "move_cell", "overwrite_cell_source", "read_cell",
	"read_notebook", "restart_notebook", "unuse_notebook", "use_notebook",
}

// The narrower toolset has exactly the current names.
func TestDatalayerToday(t *testing.T) {
	var got []string
	for _, d := range selected(Definitions(), []string{tool.ToolsetToday}, false) {
		got = append(got, d.Name)
	}
	slices.Sort(got)
	if !slices.Equal(got, today) {
		t.Errorf("%v", got)
	}
	for _, d := range Definitions() {
		if d.In(tool.ToolsetToday) && !d.In(tool.ToolsetDatalayer) {
			t.Errorf("%s is not in %s", d.Name, tool.ToolsetDatalayer)
		}
	}
}
