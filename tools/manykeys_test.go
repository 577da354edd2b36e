package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// typesKeys makes a person type a number of keys at the end of the second cell.
func (p *positions) typesKeys(keys int) {
	p.T.Helper()
	p.typesEach(keys, func(_ int, source string) string { return source + "k" })
}

// typesEach makes a person make a number of edits of the second cell, and waits once for all.
func (p *positions) typesEach(times int, next func(n int, source string) string) {
	p.T.Helper()
	doc, err := p.Work.Open(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	for n := range times {
		if err := doc.Notebook().Edit("type", func(e *ydoc.Editor) error {
			c, _ := e.Cell("c1")
			return e.SetSource("c1", next(n, c.Source))
		}); err != nil {
			p.T.Fatal(err)
		}
	}
	if err := doc.Settled(p.T.Context()); err != nil {
		p.T.Fatal(err)
	}
}

// A whole source is merged with any number of keys that a person has typed elsewhere in the cell since it was read, at once
// and after the notebook was closed, and repeating the call undoes none of them.
func TestMergeAfterManyKeys(t *testing.T) {
	for _, keys := range []int{10, 70, 400, 5000} {
		for _, left := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d keys, left %t", keys, left), func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					p := &positions{Rig: toolstest.New(t)}
					p.path = p.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b")
					p.Read(p.path)
					typed := strings.Repeat("k", keys)
					p.typesKeys(keys)
					if left {
						p.leaves()
					}
					for range 2 {
						if text, failed := p.call("modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": "b = 3\n# b"}}}); failed {
							t.Error(text)
						}
						if now := p.cell("c1"); now != "b = 3\n# b"+typed {
							t.Errorf("the cell has %d characters", len(now))
						}
					}
				})
			})
		}
	}
}
