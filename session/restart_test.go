package session_test

import (
	"errors"
	"net/http"
	"reflect"
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

// A restart ends running and waiting runs and leaves no cell busy, including other people's; the next run works and reports
// that it starts from nothing.
func TestRestartKernel(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, sessiontest.Forever, "x = 1", "'x' in globals()", "2")
		d, theirs := sessiontest.Open(t, m, path), sessiontest.Open(t, other, path)
		sessiontest.Run(t, d, "c1")
		first := sessiontest.Start(t, d, "c0")
		waiting, err := d.Run(t.Context(), []string{"c2", "c3"})
		if err != nil {
			t.Fatal(err)
		}
		behind, err := theirs.Run(t.Context(), []string{"c3"}) // waits in the kernel
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Kernel().Restart(t.Context(), "", false)
		if err != nil {
			t.Fatal(err)
		}
		test.False(t, c.Started, test.Sprint("restarted"))
		test.False(t, c.Changed, test.Sprint("restarted"))
		test.True(t, c.Fresh, test.Sprint("restarted"))
		test.Eq(t, "python3", c.Former, test.Sprint("restarted"))
		test.Eq(t, "python3", c.Kernel.Name, test.Sprint("restarted"))
		test.NotEq(t, "", c.Kernel.ID, test.Sprint("restarted"))
		res := sessiontest.Wait(t, first)
		test.Eq(t, run.Lost, res.State, test.Sprint("what ran"))
		test.StrContains(t, sessiontest.Text(res.Outputs), "restarted while this cell ran", test.Sprint("what ran"))
		for _, r := range waiting {
			res := sessiontest.Wait(t, r)
			test.Eq(t, run.Cancelled, res.State, test.Sprint("what waited"))
			must.Error(t, res.Err, must.Sprint("what waited"))
			test.StrContains(t, res.Err.Error(), "the kernel was restarted", test.Sprint("what waited"))
		}
		sessiontest.Wait(t, behind[0])
		for _, id := range []string{"c0", "c2", "c3"} {
			sessiontest.Eventually(t, "cell "+id+" is idle for everybody", func() bool {
				c, _ := theirs.Notebook().Cell(id)
				return c.ExecutionState == "idle"
			})
		}
		res = sessiontest.Run(t, d, "c2")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the next run"))
		test.Eq(t, "execute_result:False;", sessiontest.Text(res.Outputs), test.Sprint("the next run"))
		test.StrContains(t, res.Note, "earlier variables are gone", test.Sprint("the next run"))
		if res := sessiontest.Run(t, d, "c2")[0]; res.Note != "" {
			t.Errorf("said twice: %q", res.Note)
		}
	})
}

// A restart that is not answered may still happen, as with a gateway that hung: the error says so, and so does the next run.
func TestRestartUnanswered(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "1"))
		sessiontest.Run(t, d, "c0")
		s.Fake.HangNext(1, http.MethodPost, "/api/kernels/")
		s.Fake.HangNext(1, http.MethodGet, "/api/status")
		_, err := d.Kernel().Restart(t.Context(), "", false)
		test.ErrorIs(t, err, jupyter.ErrNoGateway)
		test.StrHasSuffix(t, "; the kernel may still do it", err.Error())
		const says = "asked to restart, which was not answered: the earlier variables may be gone"
		res := sessiontest.Run(t, d, "c0")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the next run"))
		test.StrContains(t, res.Note, says, test.Sprint("the next run"))
		s.Fake.AnswerNext(1, http.MethodPost, "/api/kernels/", http.StatusBadRequest)
		_, err = d.Kernel().Restart(t.Context(), "", false)
		test.ErrorIs(t, err, jupyter.ErrBadRequest, test.Sprint("one that is refused"))
		test.StrNotContains(t, err.Error(), "yet", test.Sprint("one that is refused"))
		if res := sessiontest.Run(t, d, "c0")[0]; res.Note != "" {
			t.Errorf("the run after that: note %q", res.Note)
		}
	})
}

// Without a kernel, a restart starts one; with quiet, the following runs get no note.
func TestRestartWithoutKernel(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "1"))
		c, err := d.Kernel().Restart(t.Context(), "", true)
		must.NoError(t, err)
		must.True(t, c.Started)
		must.Eq(t, "", c.Former)
		must.True(t, c.Fresh)
		id := c.Kernel.ID
		for range 2 {
			res := sessiontest.Run(t, d, "c0")[0]
			test.Eq(t, run.Done, res.State, test.Sprint("a run"))
			test.Eq(t, "", res.Note, test.Sprint("a run"))
			test.Eq(t, 1, *res.Count, test.Sprint("a run"))
			c, err = d.Kernel().Restart(t.Context(), "", true)
			must.NoError(t, err)
			must.False(t, c.Started)
			must.Eq(t, id, c.Kernel.ID)
		}
	})
}

// An assigned kernel is in the notebook's metadata and its Jupyter session, as JupyterLab would set it; assigning the same
// one again changes nothing.
func TestAssignKernel(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "echo $BASH_VERSION | cut -c1; x=7", "echo $x", sessiontest.Forever)
		d, theirs := sessiontest.Open(t, m, path), sessiontest.Open(t, other, path)
		if _, err := d.Kernel().Assign(t.Context(), "cobol"); !errors.As(err, new(*session.NoKernelError)) || !strings.Contains(err.Error(), "bash, python3") {
			t.Fatalf("a kernel that there is not: %v", err)
		}
		busy := sessiontest.Start(t, d, "c2")
		c, err := d.Kernel().Assign(t.Context(), "bash")
		must.NoError(t, err)
		must.True(t, c.Changed)
		must.Eq(t, "python3", c.Former)
		must.Eq(t, "bash", c.Kernel.Name)
		res := sessiontest.Wait(t, busy)
		test.Eq(t, run.Lost, res.State, test.Sprint("what ran in the former kernel"))
		test.StrContains(t, sessiontest.Text(res.Outputs), "shut down", test.Sprint("what ran in the former kernel"))
		sessiontest.Idle(t, d, "c2")
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err, must.Sprint("the session's kernel"))
		must.True(t, ok, must.Sprint("the session's kernel"))
		test.Eq(t, "bash", k.Name, test.Sprint("the session's kernel"))
		test.Eq(t, c.Kernel.ID, k.ID, test.Sprint("the session's kernel"))
		sessiontest.Eventually(t, "the notebook says so to everybody", func() bool {
			meta := theirs.Notebook().Metadata()
			lang, _ := meta["language_info"].(map[string]any)
			return reflect.DeepEqual(meta["kernelspec"], map[string]any{"name": "bash", "display_name": "Bash", "language": "bash"}) && lang["name"] == "bash"
		})
		res = sessiontest.Run(t, d, "c0")[0]
		test.Eq(t, run.Done, res.State, test.Sprint("the next run"))
		test.StrContains(t, res.Note, "changed from python3 to bash", test.Sprint("the next run"))
		before := d.Notebook().Revision()
		c, err = d.Kernel().Assign(t.Context(), "bash")
		must.NoError(t, err, must.Sprint("once more"))
		test.False(t, c.Changed, test.Sprint("once more"))
		test.False(t, c.Fresh, test.Sprint("once more"))
		test.Eq(t, before, d.Notebook().Revision(), test.Sprint("once more"))
		res = sessiontest.Run(t, d, "c1")[0]
		test.Eq(t, "stdout:7\n;", sessiontest.Text(res.Outputs), test.Sprint("its variables"))
		test.Eq(t, "", res.Note, test.Sprint("its variables"))
		// A restart can change it as well.
		c, err = d.Kernel().Restart(t.Context(), "python3", false)
		must.NoError(t, err)
		must.True(t, c.Changed)
		must.Eq(t, "bash", c.Former)
		if spec, _ := d.Notebook().Metadata()["kernelspec"].(map[string]any); spec["name"] != "python3" {
			t.Errorf("the kernelspec is %v", spec)
		}
	})
}

// A notebook without a kernel gets the assigned one.
func TestAssignFirstKernel(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "echo $0")
		d := sessiontest.Open(t, m, path)
		c, err := d.Kernel().Assign(t.Context(), "bash")
		must.NoError(t, err)
		must.True(t, c.Started)
		must.False(t, c.Changed)
		must.Eq(t, "bash", c.Kernel.Name)
		res := sessiontest.Run(t, d, "c0")[0]
		test.Eq(t, run.Done, res.State)
		test.StrContains(t, sessiontest.Text(res.Outputs), "bash")
		test.Eq(t, "", res.Note)
	})
}
