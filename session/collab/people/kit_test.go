package people_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// dict is a JSON object.
type dict = map[string]any

// a room is a notebook that is open here, of the cells c0, c1 and so on.
type room struct {
	t    *testing.T
	path string
	m    *session.Manager
	doc  *session.Document
}

func inRoom(t *testing.T, do func(t *testing.T, r *room), sources ...string) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, sources...)
		do(t, &room{t, path, m, sessiontest.Open(t, m, path)})
	})
}

// enters opens the notebook as a person.
func (r *room) enters(username, name string) *tab {
	return &tab{r, sessiontest.PersonIn(r.t, r.m.Servers().Documents, r.path), dict{
		"user": dict{"username": username, "name": name, "display_name": name, "initials": "A", "color": "#888"},
	}}
}

// a tab is one of a person's tabs.
type tab struct {
	r *room
	*sessiontest.Person
	state dict
}

// shows announces the tab's state with some keys set, and waits until it is received.
func (p *tab) shows(more dict) {
	p.r.t.Helper()
	p.state = maps.Clone(p.state)
	maps.Copy(p.state, more)
	p.Show(p.state)
	p.settle()
}

// settle waits until the sent messages are received.
func (p *tab) settle() { time.Sleep(200 * time.Millisecond) }

// at makes a position in a cell.
func (p *tab) at(cell string, offset int) json.RawMessage {
	p.r.t.Helper()
	pos, err := p.Notebook.RelativePosition(cell, offset)
	if err != nil {
		p.r.t.Fatal(err)
	}
	return pos
}

// selects shows a selection, or a caret where both ends are one.
func (p *tab) selects(cell string, anchor, head int) {
	p.r.t.Helper()
	p.shows(dict{"cursors": []any{dict{"anchor": p.at(cell, anchor), "head": p.at(cell, head), "primary": true, "empty": anchor == head}}})
}

// types puts a text at the end of a cell.
func (p *tab) types(cell, text string) {
	p.r.t.Helper()
	c, _ := p.Notebook.Cell(cell)
	if err := p.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(cell, c.Source+text) }); err != nil {
		p.r.t.Fatal(err)
	}
	p.settle()
}

// company returns the others in the room.
func (r *room) company() people.Company { return r.doc.Company() }

// only returns the only person in the room.
func (r *room) only() people.Person {
	r.t.Helper()
	all := r.company().People
	if len(all) != 1 {
		r.t.Fatalf("there are %+v, want one", all)
	}
	return all[0]
}
