package tools

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// marked is a hint in code that runs in a kernel.
var marked = regexp.MustCompile(`\\ue0f1(.*?)\\ue0f2`)

// hintsOf returns the clauses of all hints of the program, by their places, without inserted values.
func hintsOf(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	known := map[string]bool{}
	for _, d := range Definitions() {
		known[d.Name] = true
	}
	for _, root := range []string{".", "../session", "../rtc", "../cmd"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			if strings.HasSuffix(path, ".go") {
				return goHints(path, all)
			}
			return kernelHints(t, path, known, all)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// goHints adds the hints in a Go file.
func goHints(path string, all map[string]string) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if fn, ok := call.Fun.(*ast.SelectorExpr); !ok || fn.Sel.Name != "Hint" {
			return true
		}
		clause := ""
		ast.Inspect(call.Args[0], func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				s, _ := strconv.Unquote(text.Value) // the parser has read it
				clause += s
			}
			return true
		})
		all[files.Position(call.Pos()).String()] = strings.NewReplacer("%q", `"x"`, "%d", "1", "%s", "x").Replace(clause)
		return false
	})
	return nil
}

// kernelHints adds the hints in code that runs in a kernel, and checks that it marks the clauses that name a known tool.
func kernelHints(t *testing.T, path string, known map[string]bool, all map[string]string) error {
	if !slices.Contains([]string{".py", ".R", ".jl"}, filepath.Ext(path)) || strings.Contains(path, "testdata") {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i, m := range marked.FindAllStringSubmatch(string(text), -1) {
		all[path+" "+strconv.Itoa(i)] = m[1]
	}
	for _, name := range toolName.FindAllString(marked.ReplaceAllString(string(text), ""), -1) {
		if known[name] {
			t.Errorf("%s names %s outside a hint", path, name)
		}
	}
	return nil
}

// A hint names only tools that the client can call, whichever toolsets are on, with arguments that they take: an unlisted
// tool is named with the way to call it.
func TestHintsCanBeFollowed(t *testing.T) {
	t.Parallel()
	hints := hintsOf(t)
	if len(hints) < 80 {
		t.Fatalf("%d hints are found", len(hints))
	}
	sets := [][]string{nil, ToolsetNames()}
	for i, name := range ToolsetNames() {
		sets = append(sets, []string{name})
		for _, other := range ToolsetNames()[i+1:] {
			sets = append(sets, []string{name, other})
		}
	}
	for _, readOnly := range []bool{false, true} {
		all := registry(&parts{Deps: &deps.Deps{ReadOnly: readOnly}})
		for _, on := range sets {
			o := newOffer(all, Config{Toolsets: on, ReadOnly: readOnly})
			for at, clause := range hints {
				followed(t, o, at, clause, o.settle(textfmt.Hint(clause)))
			}
		}
	}
}

// followed checks a settled hint.
func followed(t *testing.T, o *offer, at, clause, settled string) {
	t.Helper()
	for _, in := range toolName.FindAllStringIndex(settled, -1) {
		name, after := settled[in[0]:in[1]], settled[in[1]:]
		if _, ok := o.by[name]; !ok {
			continue
		}
		by := strings.HasPrefix(after, " (by call_tool)")
		test.True(t, o.callable[name], test.Sprint(at, settled))
		test.False(t, !o.listed[name] && !by, test.Sprint(at, settled))
		test.False(t, by && !o.listed[nameCallTool], test.Sprint(at, settled))
		for _, arg := range given.FindAllStringSubmatch(strings.TrimPrefix(after, " (by call_tool)"), 1) {
			for _, arg := range arg[1:] {
				if argument := arg != "" && takenByAny(o, arg); argument && !takes(o.by[name], arg) {
					t.Errorf("%s, toolsets %v, read-only %v: %q of %q names %s of %s, which it does not take", at, o.on, o.readOnly, settled, clause, arg, name)
				}
			}
		}
	}
}

// takenByAny reports whether any tool takes an argument with that name.
func takenByAny(o *offer, arg string) bool {
	return slices.ContainsFunc(o.all, func(d tool.Tool) bool { return takes(d, arg) })
}

// taken caches the results of takes, by tool and argument.
var taken = map[[2]string]bool{}

// takes reports whether a tool takes an argument, which is the same for all toolsets.
func takes(d tool.Tool, arg string) bool {
	key := [2]string{d.Name, arg}
	does, known := taken[key]
	if !known {
		does = d.Input.Takes(arg)
		taken[key] = does
	}
	return does
}

// The replacements for a tool are tools, too.
func TestStandIns(t *testing.T) {
	o := newOffer(registry(&parts{Deps: &deps.Deps{}}), Config{})
	for name, others := range standIns {
		for _, other := range append(slices.Clone(others), name) {
			if _, ok := o.by[other]; !ok {
				t.Errorf("there is no %s", other)
			}
		}
	}
}

// A hint about documents or folders does not name a tool that lists only notebooks.
func TestDocumentsAreNotSoughtAmongNotebooks(t *testing.T) {
	for _, on := range [][]string{nil, {"core"}, {"notebook"}, {"core", "document"}} {
		o := newOffer(registry(&parts{Deps: &deps.Deps{}}), Config{Toolsets: on})
		for _, name := range []string{"list_documents", "list_files", "file_list"} {
			if got := o.settle(textfmt.Hint("; " + name + " lists them")); strings.Contains(got, "list_nbs") {
				t.Errorf("%v: %s", on, got)
			}
		}
	}
	o := newOffer(registry(&parts{Deps: &deps.Deps{}}), Config{})
	if got, want := o.settle(textfmt.Hint("; list_documents lists the documents")), "; list_documents (by call_tool) lists the documents"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
