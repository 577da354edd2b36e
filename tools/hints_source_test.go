package tools_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/tools"
)

// Every text that names a tool is marked as a hint, so that one place decides how clients see it. Names alone, such as a
// tool's own, are not texts.
func TestTextsMarkTheirHints(t *testing.T) {
	known := map[string]bool{}
	for _, d := range tools.Definitions() {
		known[d.Name] = true
	}
	for _, root := range []string{".", "../session", "../rtc"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "toolstest") {
				return err
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if fn, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Sel.Name == "Hint" {
						return false
					}
				}
				text, ok := n.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING || !strings.Contains(text.Value, " ") {
					return true
				}
				for _, name := range toolName.FindAllString(text.Value, -1) {
					if known[name] && !strings.HasSuffix(path, "find_tools.go") {
						t.Errorf("%s names %s in %.100s", files.Position(text.Pos()), name, text.Value)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
