package session_test

import (
	"errors"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// Text that a person types into a cell while it is moved is in the moved cell even if the agent that moves it leaves at
// once: the agent stays until it has received the text. Nothing needs saving here, which would keep it longer.
func TestLeavingHearsOutWhatWasTyped(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		l := sessiontest.NewLateTyping(t, jupytertest.Shared(t))
		switchesAutosaveOff(t, l.Person, l.Document)
		l.Typed()
		if err := l.Document.Notebook().Edit("move", func(e *ydoc.Editor) error { return e.Move("c0", e.Len()-1) }); err != nil {
			t.Fatal(err)
		}
		left := make(chan error, 1)
		go func() {
			_, _, err := l.Mover.End(t.Context(), jupyter.MustPath(l.Path))
			left <- err
		}()
		sessiontest.Eventually(t, "the agent is leaving", func() bool {
			all := l.Mover.Sessions(jupyter.Path{})
			return len(all) == 1 && all[0].Status == session.Away
		})
		l.Cable.Mend()
		var unsaved *filesync.UnsavedError
		if err := <-left; err != nil && !errors.As(err, &unsaved) {
			t.Fatal(err)
		}
		for who, nb := range map[string]*ydoc.Notebook{"the other agent": l.Theirs.Notebook(), "the person": l.Person.Notebook} {
			sessiontest.Eventually(t, who+" has the moved cell with what was typed", func() bool {
				c, ok := nb.CellAt(2)
				return ok && c.ID == "c0" && c.Source == "a = 1 # typed" && nb.Len() == 3
			})
		}
	})
}
