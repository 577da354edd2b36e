package tools_test

import (
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// fourLines is a cell in which people and clients change different lines.
const fourLines = "one = 1\ntwo = 2\nthree = 3\nfour = 4"

// newFourLines makes a notebook with that cell between two others, which the client has read.
func newFourLines(r *toolstest.Rig) *positions {
	p := &positions{Rig: r, path: r.Server.Notebook(r.T, "a = 1", fourLines, "c = 3")}
	p.Read(p.path)
	return p
}

// puts makes a person replace words of the second cell.
func (p *positions) puts(old, now string) {
	p.T.Helper()
	p.person(func(e *ydoc.Editor) error {
		c, _ := e.Cell("c1")
		return e.SetSource("c1", strings.Replace(c.Source, old, now, 1))
	})
}

// source returns a call that gives the second cell a whole new source.
func source(content string) toolstest.Dict {
	return toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": content}}}
}

// changes gives the second cell a whole new source.
func (p *positions) changes(content string) (text string, failed bool) {
	p.T.Helper()
	return p.call("modify_nb_cells", source(content))
}

// is checks the source of the second cell.
func (p *positions) is(want, when string) {
	p.T.Helper()
	if now := p.cell("c1"); now != want {
		p.T.Errorf("%s: the cell is %q, want %q", when, now, want)
	}
}

// ada is a known person with the notebook open.
func (p *positions) ada() *sessiontest.Person {
	p.T.Helper()
	ada := sessiontest.PersonIn(p.T, p.Srv, p.path)
	ada.Show(map[string]any{"user": map[string]any{"username": "ada", "name": "Ada"}})
	time.Sleep(2 * time.Second)
	return ada
}

// sets makes a person in a tab give a cell a source, in one change, and waits until the room has it.
func (p *positions) sets(tab *sessiontest.Person, id, content string) {
	p.T.Helper()
	if err := tab.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(id, content) }); err != nil {
		p.T.Fatal(err)
	}
	sessiontest.Eventually(p.T, "the room has it", func() bool { return p.cell(id) == content })
}
