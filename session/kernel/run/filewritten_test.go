package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A cell that runs while another program writes the file ends with its whole output, although the server reloads the file.
func TestFileIsWrittenDuringARun(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "import time\nfor i in range(8):\n    print(i, flush=True)\n    time.sleep(1)", "y = 2")
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		must.NoError(t, d.Edit(t.Context(), "test", func(e *ydoc.Editor) error { return e.SetSource("c1", "y = 20") }))
		sessiontest.Eventually(t, "the edit is in the file", func() bool { return sessiontest.FileHas(s, path, "y = 20") })
		file := filepath.Join(s.Root, path)
		before, err := os.ReadFile(file)
		must.NoError(t, err)
		time.Sleep(2 * time.Second) // or the server takes it for its own save
		runs, err := d.Run(t.Context(), []string{"c0"})
		must.NoError(t, err)
		shows := func(want string) bool {
			cell, _ := d.Notebook().Cell("c0")
			return strings.Contains(sessiontest.Text(cell.Outputs), want)
		}
		sessiontest.Eventually(t, "the second line", func() bool { return shows("1\n") })
		must.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(before), "y = 20", "y = 30", 1)), 0o600))
		sessiontest.Eventually(t, "the other program's edit", func() bool {
			cell, _ := d.Notebook().Cell("c1")
			return cell.Source == "y = 30"
		})
		all := "stdout:0\n1\n2\n3\n4\n5\n6\n7\n;"
		res := sessiontest.Wait(t, runs[0])
		test.Eq(t, run.Done, res.State)
		test.Eq(t, all, sessiontest.Text(res.Outputs))
		cell, _ := d.Notebook().Cell("c0")
		test.Eq(t, all, sessiontest.Text(cell.Outputs))
		test.Eq(t, ydoc.Idle, cell.ExecutionState)
		must.NotNil(t, cell.ExecutionCount)
	})
}
