package session_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A notebook that is opened, edited and left repeatedly is complete each time, although the server rebuilds its document
// from its store, which is incomplete.
func TestOpenedAgainAndAgain(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithFlags("--YDocExtension.document_cleanup_delay=1"))
		path := s.Notebook(t, "x = 1")
		for i := range 7 {
			m := sessiontest.Manager(t, s, session.Config{})
			d := sessiontest.Open(t, m, path)
			if away := d.Away(); away != "" {
				t.Fatalf("opened for the %d. time: %s", i+1, away)
			}
			source := fmt.Sprintf("x = %d", i+2)
			if err := d.Edit(t.Context(), "edit", func(e *ydoc.Editor) error { return e.SetSource("c0", source) }); err != nil {
				t.Fatalf("opened for the %d. time: %v", i+1, err)
			}
			if err := m.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !sessiontest.FileHas(s, path, source) {
				t.Errorf("the %d. edit is not in the file", i+1)
			}
			time.Sleep(3 * time.Second) // until the room is closed
		}
	})
}
