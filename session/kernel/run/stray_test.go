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

// A cell that shows as running for somebody who is gone, with nothing on record, becomes idle some time after the
// notebook is opened, unless somebody who may run it is there or the kernel runs anything.
func TestStrayCells(t *testing.T) {
	for name, c := range map[string]struct {
		stays bool     // who has marked it
		busy  bool     // the kernel
		runs  []string // for the kernel's sake
		tidy  bool
	}{
		"nobody is there, no kernel":        {tidy: true},
		"nobody is there, an idle kernel":   {runs: []string{"c1"}, tidy: true},
		"nobody is there, a busy kernel":    {runs: []string{"c2"}, busy: true},
		"somebody is there, an idle kernel": {stays: true, runs: []string{"c1"}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) { // a minute of earnest is too long
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
				for range 6 { // in a minute it would have been put right
					if c.stays {
						gone.Show(map[string]any{"user": map[string]any{"username": "ada", "name": "Ada"}})
					}
					time.Sleep(10 * time.Second)
				}
				cell, _ := d.Notebook().Cell("c0")
				test.Eq(t, cell.ExecutionState == "idle", c.tidy)
				test.Eq(t, strings.Contains(sessiontest.Text(cell.Outputs), "nobody runs this cell"), c.tidy)
			})
		})
	}
}
