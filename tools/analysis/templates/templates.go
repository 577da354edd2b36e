// Package templates has the templates of new notebooks, each a srcbook file in this folder. All their cells run with
// Python's standard library, numpy, pandas and matplotlib.
//
// # Concurrency
//
// The result of [All] is made once and must not be changed.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/tools/analysis/srcbook"
)

//go:embed *.src.md
var files embed.FS

// A Template is a notebook to start from.
type Template struct {
	Name        string // such as "tree_of_thought"
	Description string // one sentence
	Text        string // the srcbook file
	Notebook    srcbook.Notebook
}

// All returns the templates, sorted by name.
var All = sync.OnceValue(func() []Template {
	entries := lo.Must(files.ReadDir(".")) // the files are part of the program
	return lo.Map(entries, func(e fs.DirEntry, _ int) Template { return lo.Must(read(e.Name())) })
})

func read(file string) (t Template, err error) {
	b, err := files.ReadFile(file)
	if err != nil {
		return t, err
	}
	t.Name, t.Text = strings.TrimSuffix(file, ".src.md"), string(b)
	if t.Notebook, err = srcbook.Decode(t.Text); err != nil {
		return t, err
	}
	own, _ := t.Notebook.Metadata["nbduet"].(map[string]any)
	t.Description, _ = own["description"].(string)
	if own["pattern"] != t.Name || t.Description == "" {
		return t, fmt.Errorf("its pattern is %v, its description %q", own["pattern"], t.Description)
	}
	return t, nil
}

// Find returns a template by its name.
func Find(name string) (Template, bool) {
	return lo.Find(All(), func(t Template) bool { return t.Name == name })
}
