package session_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A restart ends what runs and what waits, leaves no cell busy, the ones of others included, and the next run works and
// says that it starts from nothing.
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
		if c.Started || c.Changed || !c.Fresh || c.Former != "python3" || c.Kernel.Name != "python3" || c.Kernel.ID == "" {
			t.Errorf("restarted: %+v", c)
		}
		if res := sessiontest.Wait(t, first); res.State != run.Lost || !strings.Contains(sessiontest.Text(res.Outputs), "restarted while this cell ran") {
			t.Errorf("what ran: %s, %q", res.State, sessiontest.Text(res.Outputs))
		}
		for _, r := range waiting {
			if res := sessiontest.Wait(t, r); res.State != run.Cancelled || res.Err == nil || !strings.Contains(res.Err.Error(), "the kernel was restarted") {
				t.Errorf("what waited: %s, %v", res.State, res.Err)
			}
		}
		sessiontest.Wait(t, behind[0])
		for _, id := range []string{"c0", "c2", "c3"} {
			sessiontest.Eventually(t, "cell "+id+" is idle for everybody", func() bool {
				c, _ := theirs.Notebook().Cell(id)
				return c.ExecutionState == "idle"
			})
		}
		if res := sessiontest.Run(t, d, "c2")[0]; res.State != run.Done || sessiontest.Text(res.Outputs) != "execute_result:False;" || !strings.Contains(res.Note, "variables from before are gone") {
			t.Errorf("the next run: %s, %q, note %q", res.State, sessiontest.Text(res.Outputs), res.Note)
		}
		if res := sessiontest.Run(t, d, "c2")[0]; res.Note != "" {
			t.Errorf("said twice: %q", res.Note)
		}
	})
}

// A restart that is not answered may be done all the same, as by a gateway that stood still: the error says so, and so does
// the next run.
func TestRestartUnanswered(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "1"))
		sessiontest.Run(t, d, "c0")
		s.Fake.HangNext(1, http.MethodPost, "/api/kernels/")
		s.Fake.HangNext(1, http.MethodGet, "/api/status")
		_, err := d.Kernel().Restart(t.Context(), "", false)
		if !errors.Is(err, jupyter.ErrNoGateway) || !strings.HasSuffix(err.Error(), "; the kernel may do it yet") {
			t.Errorf("error %v", err)
		}
		const says = "asked to restart, which was not answered: the variables from before may be gone"
		if res := sessiontest.Run(t, d, "c0")[0]; res.State != run.Done || !strings.Contains(res.Note, says) {
			t.Errorf("the next run: %s, note %q", res.State, res.Note)
		}
		s.Fake.AnswerNext(1, http.MethodPost, "/api/kernels/", http.StatusBadRequest)
		if _, err = d.Kernel().Restart(t.Context(), "", false); !errors.Is(err, jupyter.ErrBadRequest) || strings.Contains(err.Error(), "yet") {
			t.Errorf("one that is refused: %v", err)
		}
		if res := sessiontest.Run(t, d, "c0")[0]; res.Note != "" {
			t.Errorf("the run after that: note %q", res.Note)
		}
	})
}

// Where there is no kernel, a restart starts one; quietly, nothing is said of it to the runs that follow.
func TestRestartWithoutKernel(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		d := sessiontest.Open(t, m, s.Notebook(t, "1"))
		c, err := d.Kernel().Restart(t.Context(), "", true)
		if err != nil || !c.Started || c.Former != "" || !c.Fresh {
			t.Fatalf("%+v, %v", c, err)
		}
		id := c.Kernel.ID
		for range 2 {
			if res := sessiontest.Run(t, d, "c0")[0]; res.State != run.Done || res.Note != "" || *res.Count != 1 {
				t.Errorf("a run: %s, note %q, count %v", res.State, res.Note, *res.Count)
			}
			if c, err = d.Kernel().Restart(t.Context(), "", true); err != nil || c.Started || c.Kernel.ID != id {
				t.Fatalf("%+v, %v", c, err)
			}
		}
	})
}

// Another kernel is in the notebook's metadata and its Jupyter session, as JupyterLab would have it; the same one again
// changes nothing.
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
		if err != nil || !c.Changed || c.Former != "python3" || c.Kernel.Name != "bash" {
			t.Fatalf("%+v, %v", c, err)
		}
		if res := sessiontest.Wait(t, busy); res.State != run.Lost || !strings.Contains(sessiontest.Text(res.Outputs), "shut down") {
			t.Errorf("what ran in the former kernel: %s, %q", res.State, sessiontest.Text(res.Outputs))
		}
		sessiontest.Idle(t, d, "c2")
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		if err != nil || !ok || k.Name != "bash" || k.ID != c.Kernel.ID {
			t.Errorf("the session's kernel: %+v, %v, %v", k, ok, err)
		}
		sessiontest.Eventually(t, "the notebook says so to everybody", func() bool {
			meta := theirs.Notebook().Metadata()
			lang, _ := meta["language_info"].(map[string]any)
			return reflect.DeepEqual(meta["kernelspec"], map[string]any{"name": "bash", "display_name": "Bash", "language": "bash"}) && lang["name"] == "bash"
		})
		if res := sessiontest.Run(t, d, "c0")[0]; res.State != run.Done || !strings.Contains(res.Note, "changed from python3 to bash") {
			t.Errorf("the next run: %s, %q, note %q", res.State, sessiontest.Text(res.Outputs), res.Note)
		}
		before := d.Notebook().Revision()
		if c, err = d.Kernel().Assign(t.Context(), "bash"); err != nil || c.Changed || c.Fresh || d.Notebook().Revision() != before {
			t.Errorf("once more: %+v, %v", c, err)
		}
		if res := sessiontest.Run(t, d, "c1")[0]; sessiontest.Text(res.Outputs) != "stdout:7\n;" || res.Note != "" {
			t.Errorf("its variables: %q, note %q", sessiontest.Text(res.Outputs), res.Note)
		}
		// A restart can change it as well.
		if c, err = d.Kernel().Restart(t.Context(), "python3", false); err != nil || !c.Changed || c.Former != "bash" {
			t.Fatalf("%+v, %v", c, err)
		}
		if spec, _ := d.Notebook().Metadata()["kernelspec"].(map[string]any); spec["name"] != "python3" {
			t.Errorf("the kernelspec is %v", spec)
		}
	})
}

// A notebook without a kernel gets the one that it is assigned.
func TestAssignFirstKernel(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "echo $0")
		d := sessiontest.Open(t, m, path)
		if c, err := d.Kernel().Assign(t.Context(), "bash"); err != nil || !c.Started || c.Changed || c.Kernel.Name != "bash" {
			t.Fatalf("%+v, %v", c, err)
		}
		if res := sessiontest.Run(t, d, "c0")[0]; res.State != run.Done || !strings.Contains(sessiontest.Text(res.Outputs), "bash") || res.Note != "" {
			t.Errorf("%s, %q, %q", res.State, sessiontest.Text(res.Outputs), res.Note)
		}
	})
}
