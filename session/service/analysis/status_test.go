package analysis_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// behind is a server that reports the set state of its kernels while one is set.
func behind(t *testing.T, s *jupytertest.Server) (late *jupytertest.Server, says *atomic.Pointer[string]) {
	t.Helper()
	says = &atomic.Pointer[string]{}
	return sessiontest.Front(t, s, func(next *httputil.ReverseProxy) http.Handler {
		next.ModifyResponse = func(res *http.Response) error {
			state := says.Load()
			if state == nil || !strings.Contains(res.Header.Get("Content-Type"), "json") {
				return nil
			}
			b, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			b = regexp.MustCompile(`"execution_state": ?"(idle|busy|starting)"`).ReplaceAll(b, []byte(`"execution_state": "`+*state+`"`))
			res.Body = io.NopCloser(bytes.NewReader(b))
			res.Header.Set("Content-Length", strconv.Itoa(len(b)))
			res.ContentLength = int64(len(b))
			return nil
		}
		return next
	}), says
}

// The server learns about a kernel's state a moment later than the client that runs code in it: a kernel is not reported as
// busy with answered code, or as idle with code that has begun.
func TestStatusIsNotBehind(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		late, says := behind(t, s)
		m := sessiontest.Manager(t, late, session.Config{})
		table := analysis.New(m)
		path := s.Notebook(t, "1", "print('begun', flush=True)\nimport time\ntime.sleep(600)")
		alone, err := table.Create(t.Context(), "ada", analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		shared, err := table.Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath(path)})
		if err != nil {
			t.Fatal(err)
		}
		busy, idle := kernel.StateBusy, kernel.StateIdle
		is := func(a *analysis.Session, want string) {
			t.Helper()
			if got := a.Status(t.Context()); got != want {
				t.Errorf("the kernel of %s is %s, want %s", a.NotebookPath(), got, want)
			}
		}
		says.Store(&busy)
		is(alone, busy) // with another client's code, as far as is known
		for _, a := range []*analysis.Session{alone, shared} {
			if _, err := a.Evaluate(t.Context(), "1", nil); err != nil {
				t.Fatal(err)
			}
			is(a, idle)
		}
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Release()
		runs, err := d.Run(t.Context(), []string{"c0", "c1"})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the code has begun", func() bool { return len(runs[1].Result().Outputs) > 0 })
		says.Store(&idle)
		is(shared, busy)
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err, must.Sprint("the notebook's kernel"))
		must.True(t, ok, must.Sprint("the notebook's kernel"))
		test.Eq(t, busy, k.State, test.Sprint("the notebook's kernel"))
		says.Store(nil)
		if err := runs[1].Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := runs[1].Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
