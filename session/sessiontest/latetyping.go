package sessiontest

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// A LateTyping is a person who types into a cell while the agent that moves it receives nothing. Another agent receives the
// edit.
type LateTyping struct {
	Path  string
	Cable *jupytertest.Cable // the mover's
	Mover *session.Manager
	// Document is the mover's notebook, Theirs the other agent's.
	Document, Theirs *session.Document
	Person           *Person

	t *testing.T
}

// NewLateTyping lets all three open a notebook of three cells.
func NewLateTyping(t *testing.T, s *jupytertest.Server) *LateTyping {
	t.Helper()
	l := &LateTyping{t: t, Cable: jupytertest.NewCable(t, s), Path: s.Notebook(t, "a = 1", "b = 2", "c = 3")}
	l.Mover = Manager(t, l.Cable.Server, session.Config{})
	other := Manager(t, s, session.Config{})
	l.Document, l.Theirs = Open(t, l.Mover, l.Path), Open(t, other, l.Path)
	l.Person = PersonIn(t, other.Servers().Documents, l.Path)
	return l
}

// Typed makes the person type; from then on the mover receives nothing.
func (l *LateTyping) Typed() {
	l.t.Helper()
	l.Cable.Stall()
	if err := l.Person.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource("c0", "a = 1 # typed") }); err != nil {
		l.t.Fatal(err)
	}
	Eventually(l.t, "the other agent sees what was typed", func() bool {
		c, _ := l.Theirs.Notebook().Cell("c0")
		return c.Source == "a = 1 # typed"
	})
}
