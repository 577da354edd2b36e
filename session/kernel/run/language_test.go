package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// bashNotebook is a notebook of code cells for the Bash kernel.
func bashNotebook(t *testing.T, s *jupytertest.Server, sources ...string) string {
	t.Helper()
	path := s.Notebook(t, sources...)
	b, err := os.ReadFile(filepath.Join(s.Root, path))
	if err != nil {
		t.Fatal(err)
	}
	var nb map[string]any
	if err := json.Unmarshal(b, &nb); err != nil {
		t.Fatal(err)
	}
	nb["metadata"] = map[string]any{"kernelspec": map[string]any{"name": "bash", "display_name": "Bash", "language": "bash"}}
	if b, err = json.Marshal(nb); err != nil {
		t.Fatal(err)
	}
	return s.Write(t, path, string(b))
}

// A kernel of another language works: text, errors, displays, progress bars and interrupts are the same.
func TestAnotherLanguage(t *testing.T) {
	jupytertest.NeedsReal(t, "a kernel of another language")
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := bashNotebook(t, s,
			"for i in 1 2 3; do echo line $i; done",
			"echo before; false",
			"echo '<b>bold</b>' | displayHTML here; echo '<i>new</i>' | displayHTML here",
			"for i in 1 2 3; do printf '\\rstep %s' $i; done; echo",
			"echo $$; sleep 300",
			"echo not run",
			"no_such_command_here")
		d := sessiontest.Open(t, m, path)
		res := sessiontest.Run(t, d, "c0")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("text"))
		test.Eq(t, "stdout:line 1\nline 2\nline 3\n;", sessiontest.Text(res.Outputs), test.Sprint("text"))
		must.NotNil(t, res.Count, must.Sprint("text"))
		test.Eq(t, 1, *res.Count, test.Sprint("text"))
		if k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path)); err != nil || !ok || k.Name != "bash" {
			t.Errorf("kernel %+v, %v, %v", k, ok, err)
		}
		res = sessiontest.Run(t, d, "c1")[0]
		n := len(res.Outputs)
		test.Eq(t, run.Failed, res.State, test.Sprint("error"))
		test.Eq(t, 2, n, test.Sprint("error"))
		test.Eq(t, "stdout:before\n;", sessiontest.Text(res.Outputs[:1]), test.Sprint("error"))
		test.EqOp[any](t, "error", res.Outputs[1]["output_type"], test.Sprint("error"))
		test.EqOp[any](t, "1", res.Outputs[1]["evalue"], test.Sprint("error"))
		res = sessiontest.Run(t, d, "c2")[0]
		must.Eq(t, run.Done, res.State, must.Sprint("display"))
		must.SliceLen(t, 1, res.Outputs, must.Sprint("display"))
		must.EqOp[any](t, "display_data", res.Outputs[0]["output_type"], must.Sprint("display"))
		if data, _ := res.Outputs[0]["data"].(map[string]any); strings.TrimSpace(data["text/html"].(string)) != "<i>new</i>" {
			t.Errorf("display: %v", data)
		}
		if res = sessiontest.Run(t, d, "c3")[0]; sessiontest.Text(res.Outputs) != "stdout:step 3\n;" {
			t.Errorf("carriage returns: %q", sessiontest.Text(res.Outputs))
		}
		runs, err := d.Run(t.Context(), []string{"c4", "c5"})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it runs", func() bool { return sessiontest.Text(runs[0].Result().Outputs) != "" })
		if err := runs[0].Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if res = sessiontest.Wait(t, runs[0]); res.State != run.Interrupted {
			t.Errorf("interrupted: %s, %q", res.State, sessiontest.Text(res.Outputs))
		}
		if res = sessiontest.Wait(t, runs[1]); res.State != run.Cancelled {
			t.Errorf("behind it: %s", res.State)
		}
		res = sessiontest.Run(t, d, "c6")[0]
		test.Eq(t, run.Failed, res.State, test.Sprint("unknown command"))
		test.StrContains(t, sessiontest.Text(res.Outputs), "command not found", test.Sprint("unknown command"))
		for _, c := range d.Notebook().Cells() {
			sessiontest.Idle(t, d, c.ID)
		}
	})
}
