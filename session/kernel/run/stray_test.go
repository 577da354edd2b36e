package run_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A cell that shows as running for a client that has left, without a record, becomes idle some time after the notebook is
// opened, unless a client that may run it is in the room or the kernel runs code.
func TestStrayCells(t *testing.T) {
	for name, c := range map[string]struct {
		stays bool     // the client that marked it stays
		busy  bool     // the kernel
		runs  []string // gives the notebook a kernel
		tidy  bool
	}{
		"nobody is there, no kernel":        {tidy: true},
		"nobody is there, an idle kernel":   {runs: []string{"c1"}, tidy: true},
		"nobody is there, a busy kernel":    {runs: []string{"c2"}, busy: true},
		"somebody is there, an idle kernel": {stays: true, runs: []string{"c1"}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) { // a real minute is too long
				s := jupytertest.Shared(t)
				path := s.Notebook(t, "1", "2", sessiontest.Forever)
				srv := sessiontest.Server(t, s)
				gone := sessiontest.PersonIn(t, srv, path)
				if err := gone.Notebook.Edit("run", func(e *ydoc.Editor) error { return e.StartRun("c0") }); err != nil {
					t.Fatal(err)
				}
				first := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
				sessiontest.Eventually(t, "the mark is there", func() bool {
					cell, _ := first.Notebook().Cell("c0")
					return cell.ExecutionState == "running"
				})
				if !c.stays {
					gone.Leave()
				}
				if len(c.runs) > 0 {
					if c.busy {
						sessiontest.Start(t, first, c.runs[0])
					} else {
						sessiontest.Run(t, first, c.runs...)
					}
				}
				d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
				for range 6 { // a minute is enough to clear the mark
					if c.stays {
						gone.Show(map[string]any{"user": map[string]any{"username": "ada", "name": "Ada"}})
					}
					time.Sleep(10 * time.Second)
				}
				cell, _ := d.Notebook().Cell("c0")
				test.Eq(t, cell.ExecutionState == "idle", c.tidy)
				test.Eq(t, strings.Contains(sessiontest.Text(cell.Outputs), "this cell is no longer running"), c.tidy)
			})
		})
	}
}
