package session_test

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A person's text and another agent's edit that reach the server before a move of their cell, but not the moving agent, end
// up in the moved cell: in all replicas and in the file, once.
func TestLateTextFollowsAMovedCell(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		l := sessiontest.NewLateTyping(t, s)
		l.Typed()
		if err := l.Theirs.Edit(t.Context(), "edit", func(e *ydoc.Editor) error {
			return e.SetSource("c0", "alpha = 1 # typed")
		}); err != nil {
			t.Fatal(err)
		}
		moved := make(chan error, 1)
		go func() {
			moved <- l.Document.As("me").Move(t.Context(), readset.Target{Cell: "c0"}, func(e *ydoc.Editor) (int, error) { return e.Len() - 1, nil }, true)
		}()
		sessiontest.Eventually(t, "the cell is moved here", func() bool {
			at, _ := l.Document.Notebook().Index("c0")
			return at == 2
		})
		l.Cable.Mend()
		if err := <-moved; err != nil {
			t.Fatal(err)
		}
		for who, nb := range map[string]*ydoc.Notebook{"the mover": l.Document.Notebook(), "the other agent": l.Theirs.Notebook(), "the person": l.Person.Notebook} {
			sessiontest.Eventually(t, who+" has the moved cell with all of its text", func() bool {
				c, ok := nb.CellAt(2)
				return ok && c.ID == "c0" && c.Source == "alpha = 1 # typed" && nb.Len() == 3
			})
		}
		sessiontest.Eventually(t, "so has the file", func() bool { return sessiontest.FileHas(s, l.Path, "alpha = 1 # typed") })
	})
}

// An agent's edit that reaches the server after another agent's move of its cell is dropped there. It is still made: the
// agent that is told so makes it in the moved cell.
func TestEditBehindAMoveIsMade(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		cable := jupytertest.NewCable(t, s)
		mover := sessiontest.Manager(t, s, session.Config{})
		agent := sessiontest.Manager(t, cable.Server, session.Config{})
		path := s.Notebook(t, "a = 1", "b = 2", "c = 3")
		d, ours := sessiontest.Open(t, mover, path), sessiontest.Open(t, agent, path)

		cable.Stall()
		made := make(chan error, 1)
		go func() {
			made <- ours.Edit(t.Context(), "edit", func(e *ydoc.Editor) error { return e.SetSource("c0", "alpha = 10") })
		}()
		sessiontest.Eventually(t, "the edit is made here", func() bool {
			c, _ := ours.Notebook().Cell("c0")
			return c.Source == "alpha = 10"
		})
		if err := d.As("me").Move(t.Context(), readset.Target{Cell: "c0"}, func(e *ydoc.Editor) (int, error) { return e.Len() - 1, nil }, true); err != nil {
			t.Fatal(err)
		}
		cable.Mend()
		if err := <-made; err != nil {
			t.Fatal(err)
		}
		for who, nb := range map[string]*ydoc.Notebook{"the mover": d.Notebook(), "the agent": ours.Notebook()} {
			sessiontest.Eventually(t, who+" has the edit in the moved cell", func() bool {
				c, ok := nb.CellAt(2)
				return ok && c.ID == "c0" && c.Source == "alpha = 10" && nb.Len() == 3
			})
		}
	})
}
