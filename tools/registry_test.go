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
)

// definitions returns all tools; nothing in a definition depends on what the tools work with.
func definitions() []tool { return registry(&parts{deps: &deps{}}) }

// Each tool's definition is what its snapshot in testdata says. Run with -update after a change that is meant.
func TestSchemaSnapshots(t *testing.T) {
	for _, d := range definitions() {
		t.Run(d.name, func(t *testing.T) {
			got, err := json.MarshalIndent(d.definition(), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			file := filepath.Join("testdata", d.name+".json")
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
	if len(files) != len(definitions()) {
		t.Errorf("%d snapshots for %d tools: remove those of tools that are gone", len(files), len(definitions()))
	}
}

// A schema that does not compile would be a tool without checks.
func TestSchemasCompile(t *testing.T) {
	for _, d := range definitions() {
		if _, err := compile(d.name+"-input", d.input); err != nil {
			t.Error(err)
		}
		if _, err := compile(d.name+"-output", d.output); err != nil {
			t.Error(err)
		}
	}
}

// Every tool says what it has to, and every input is bounded.
func TestDefinitionsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range definitions() {
		if seen[d.name] {
			t.Errorf("two tools are called %s", d.name)
		}
		seen[d.name] = true
		if d.title == "" || len(d.description) < 60 || len(d.description) > 900 {
			t.Errorf("%s: title %q, description of %d bytes", d.name, d.title, len(d.description))
		}
		if d.marks.readOnly && d.marks.destructive {
			t.Errorf("%s is read-only and destructive", d.name)
		}
		for _, set := range append([]string{d.toolset}, d.also...) {
			if !slices.Contains(toolsetNames(), set) {
				t.Errorf("%s is in a toolset %q, which there is not", d.name, set)
			}
		}
		var in, out map[string]any
		if err := json.Unmarshal(d.input.raw(), &in); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(d.output.raw(), &out); err != nil {
			t.Fatal(err)
		}
		if out["type"] != "object" {
			t.Errorf("%s: the result is no object", d.name)
		}
		bounded(t, d.name, in)
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
		"":                  "notebook,runs,document,rtc,analysis,context",
		"default":           "notebook,runs,document,rtc,analysis,context",
		"all":               "notebook,runs,document,rtc,analysis,context,cells,datalayer,datalayer-today",
		"rtc":               "rtc",
		" rtc , notebook,":  "notebook,rtc",
		"rtc,rtc":           "rtc",
		"rtc,default,bogus": `there is no toolset "bogus": choose from notebook, runs, document, rtc, analysis, context, cells, datalayer, datalayer-today, default, all`,
		" , ":               "names none",
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
	names := func(ts []tool) (out []string) {
		for _, t := range ts {
			out = append(out, t.name)
		}
		return out
	}
	got := names(selected(definitions(), []string{toolsetNotebook, toolsetRTC}, true))
	want := []string{"get_base_url", "nb_path_from_url", "list_nbs", "get_nb_stat", "read_nb_cells", "list_available_kernels", "query_nb_sessions", "query_document_session"}
	if !slices.Equal(got, want) {
		t.Errorf("read-only: %v", got)
	}
	if got := names(selected(definitions(), []string{toolsetRTC}, false)); !slices.Equal(got, []string{"query_nb_sessions", "end_nb_session", "query_document_session", "end_document_session"}) {
		t.Errorf("rtc: %v", got)
	}
}

const (
	tableBegin = "<!-- tools:begin -->"
	tableEnd   = "<!-- tools:end -->"
)

// The README's table of tools is the one that their definitions make.
func TestREADMETable(t *testing.T) {
	const file = "../README.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), tableBegin)
	old, tail, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no lines %q and %q for the table of tools to stand between", file, tableBegin, tableEnd)
	}
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

// readmeTable lists the tools by toolset, each with its arguments, what it is for and how it is marked.
func readmeTable() string {
	var b strings.Builder
	b.WriteString("\n")
	for _, set := range Toolsets() {
		fmt.Fprintf(&b, "\n**%s**: %s", set.Name, set.Description)
		if !set.Default {
			b.WriteString(" (off unless named)")
		}
		var own, shared []tool
		for _, d := range selected(definitions(), []string{set.Name}, false) {
			if d.toolset == set.Name {
				own = append(own, d)
			} else {
				shared = append(shared, d)
			}
		}
		b.WriteString("\n\n")
		if len(shared) > 0 {
			var names []string
			for _, d := range shared {
				names = append(names, "`"+d.name+"`")
			}
			b.WriteString("Of the other sets: " + strings.Join(names, ", ") + "\n\n")
		}
		if len(own) == 0 {
			continue
		}
		b.WriteString("| tool | arguments | what it does |\n| --- | --- | --- |\n")
		for _, d := range own {
			first, _, _ := strings.Cut(d.description, ". ")
			fmt.Fprintf(&b, "| `%s`%s | %s | %s. |\n", d.name, badge(d.marks), argumentList(d), strings.TrimSuffix(first, "."))
		}
	}
	b.WriteString("\n")
	return b.String()
}

func badge(m marks) string {
	switch {
	case m.readOnly:
		return " (reads)"
	case m.destructive:
		return " (writes, can destroy)"
	default:
		return " (writes)"
	}
}

func argumentList(d tool) string {
	var in struct {
		Required   []string        `json:"required"`
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(d.input.raw(), &in); err != nil {
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
