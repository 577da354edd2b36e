package session_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/service/filepreview"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// kernelsOn configures a manager's kernels on another server.
func kernelsOn(t *testing.T, b *jupytertest.Server, token string) session.Config {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: b.URL, Token: token, Role: "runtime", HTTPClient: b.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return session.Config{Runtime: srv}
}

// sessionsOf returns the paths of the Jupyter sessions of a server, by the ids of their kernels.
func sessionsOf(t *testing.T, srv *jupyter.Server) map[string]string {
	t.Helper()
	list, err := srv.Sessions.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, s := range list {
		paths[s.Kernel.ID] = s.Path.String()
	}
	return paths
}

// Documents are on one server, and kernels on the other, which has separate files and notebooks.
func TestTwoServers(t *testing.T) {
	s, other := jupytertest.Shared(t), jupytertest.Start(t, jupytertest.WithoutCollaboration())
	m := sessiontest.Manager(t, s, kernelsOn(t, other, other.Token))
	table, h := analysis.New(m), filepreview.New(m)
	watcher := sessiontest.Manager(t, s, session.Config{}) // as a tab is
	test.True(t, m.Servers().Apart(), test.Sprint("which servers there are is not known"))
	test.NotEqOp(t, m.Servers().Documents, m.Servers().Runtime, test.Sprint("which servers there are is not known"))
	test.False(t, watcher.Servers().Apart(), test.Sprint("which servers there are is not known"))
	test.EqOp(t, watcher.Servers().Documents, watcher.Servers().Runtime, test.Sprint("which servers there are is not known"))

	t.Run("runs", func(t *testing.T) {
		path := s.Notebook(t, "import os; x = 41\nprint(os.getcwd())", "x + 1", "'x' in globals()")
		d, seen := sessiontest.Open(t, m, path), sessiontest.Open(t, watcher, path)
		got := sessiontest.Run(t, d, "c0", "c1")
		test.Eq(t, "stdout:"+other.Root+"\n;", sessiontest.Text(got[0].Outputs))
		test.Eq(t, "execute_result:42;", sessiontest.Text(got[1].Outputs))
		sessiontest.Eventually(t, "the outputs are in the room", func() bool {
			c, _ := seen.Notebook().Cell("c1")
			return sessiontest.Text(c.Outputs) == "execute_result:42;" && c.ExecutionCount != nil && *c.ExecutionCount == 2
		})
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err)
		must.True(t, ok)
		test.Eq(t, path, sessionsOf(t, m.Servers().Runtime)[k.ID])
		test.False(t, sessiontest.HasKernel(t, watcher, k.ID))
		if k, ok, err := watcher.Kernel(t.Context(), jupyter.MustPath(path)); ok || err != nil {
			t.Errorf("the documents' server has started %+v, %v", k, err)
		}
		c, err := d.Kernel().Restart(t.Context(), "", true)
		must.NoError(t, err, must.Sprint("restart"))
		test.Eq(t, k.ID, c.Kernel.ID, test.Sprint("restart"))
		if got := sessiontest.Run(t, d, "c2"); sessiontest.Text(got[0].Outputs) != "execute_result:False;" {
			t.Errorf("after the restart: %q", sessiontest.Text(got[0].Outputs))
		}
	})

	t.Run("renamed", func(t *testing.T) {
		dir := sessiontest.Folder(t, s, m)
		path := dir + "/a.ipynb"
		if _, err := m.Servers().Documents.Contents.Rename(t.Context(), jupyter.MustPath(s.Notebook(t, "x = 7", "x")), jupyter.MustPath(path)); err != nil {
			t.Fatal(err)
		}
		// A notebook on the other server that happens to have the same name.
		theirs, err := m.Servers().Runtime.Sessions.Create(t.Context(), jupyter.NewSession{Path: jupyter.MustPath(dir + "/theirs.ipynb")})
		if err != nil {
			t.Fatal(err)
		}
		a, err := table.Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath(path)})
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.Run(t, sessiontest.Open(t, m, path), "c0")
		if _, err := files.New(m).Rename(t.Context(), jupyter.MustPath(dir), jupyter.MustPath(dir+"2")); err != nil {
			t.Fatal(err)
		}
		if got := sessiontest.Run(t, sessiontest.Open(t, m, dir+"2/a.ipynb"), "c1"); sessiontest.Text(got[0].Outputs) != "execute_result:7;" {
			t.Errorf("renamed by us: %q, %v", sessiontest.Text(got[0].Outputs), got[0].Err)
		}
		// By a person whose tab does not know the kernel, while the notebook is not open here.
		_, ok, err := m.End(t.Context(), jupyter.MustPath(dir+"2/a.ipynb"))
		must.True(t, ok)
		must.NoError(t, err)
		if _, err := m.Servers().Documents.Contents.Rename(t.Context(), jupyter.MustPath(dir+"2/a.ipynb"), jupyter.MustPath(dir+"2/b.ipynb")); err != nil {
			t.Fatal(err)
		}
		d, err := a.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Release()
		// The room announces the new path a little later than the server does.
		sessiontest.Eventually(t, "the document is at its new path", func() bool { return d.Path().String() == dir+"2/b.ipynb" })
		if got := sessiontest.Run(t, d, "c1"); sessiontest.Text(got[0].Outputs) != "execute_result:7;" {
			t.Errorf("renamed by somebody: %q, %v", sessiontest.Text(got[0].Outputs), got[0].Err)
		}
		sessiontest.Eventually(t, "its kernel is found by that", func() bool {
			return sessionsOf(t, m.Servers().Runtime)[a.KernelID()] == dir+"2/b.ipynb"
		})
		if at := sessionsOf(t, m.Servers().Runtime)[theirs.Kernel.ID]; at != dir+"/theirs.ipynb" {
			t.Errorf("their kernel is at %s", at)
		}
		// Their kernel can be joined, but does not belong to our notebook.
		joined, err := table.Connect(t.Context(), "ada", jupyter.Path{}, theirs.Kernel.ID)
		must.NoError(t, err, must.Sprint("joined"))
		test.Eq(t, "", joined.NotebookPath().String(), test.Sprint("joined"))
		test.Eq(t, "", m.Servers().NotebookOf(theirs).String(), test.Sprint("joined"))
		ours, err := table.Connect(t.Context(), "bob", jupyter.Path{}, a.KernelID())
		must.NoError(t, err, must.Sprint("joined"))
		test.Eq(t, dir+"2/b.ipynb", ours.NotebookPath().String(), test.Sprint("joined"))
	})

	t.Run("analysis", func(t *testing.T) {
		a, err := table.Create(t.Context(), "ada", analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Evaluate(t.Context(), "import os", map[string]string{"at": "os.getcwd()"})
		must.NoError(t, err)
		test.Eq(t, "'"+other.Root+"'", sessiontest.Expression(t, got, "at"))
		id := a.KernelID()
		if err := table.Delete(t.Context(), "ada", a.ID()); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Servers().Runtime.Kernels.Get(t.Context(), id); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("its kernel is left: %v", err)
		}
	})

	t.Run("preview", func(t *testing.T) {
		jupytertest.NeedsReal(t, "a preview, which is made in a kernel")
		name := s.Write(t, s.Name(t, ".csv"), "a\n1\n")
		// The same name, size and time, but another file.
		theirs := filepath.Join(other.Root, name)
		if err := os.WriteFile(theirs, []byte("b\n2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(s.Root, name))
		if err == nil {
			err = os.Chtimes(theirs, info.ModTime(), info.ModTime())
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Preview(t.Context(), jupyter.MustPath(name), "", inspect.PreviewOptions{})
		must.NoError(t, err)
		test.Eq(t, `[{"a":1}]`, string(p.Head))
	})

	t.Run("refused", func(t *testing.T) {
		wrong := sessiontest.Manager(t, s, kernelsOn(t, other, "wr0ng"))
		got := sessiontest.Run(t, sessiontest.Open(t, wrong, s.Notebook(t, "1")), "c0")
		must.Eq(t, run.Cancelled, got[0].State, must.Sprint("with a wrong token"))
		must.ErrorIs(t, got[0].Err, jupyter.ErrUnauthorized, must.Sprint("with a wrong token"))
		says := got[0].Err.Error()
		test.StrContains(t, says, "the runtime server at "+other.URL, test.Sprint("with a wrong token"))
		test.StrContains(t, says, "RUNTIME_TOKEN", test.Sprint("with a wrong token"))
		test.StrNotContains(t, says, "wr0ng", test.Sprint("with a wrong token"))
		if got := m.Redact(s.Token + " " + other.Token); got != "[token] [token]" {
			t.Errorf("%q is redacted", got)
		}
	})
	t.Run("down", func(t *testing.T) {
		gone := &jupytertest.Server{URL: "http://127.0.0.1:1", Token: "x"}
		d := sessiontest.Open(t, sessiontest.Manager(t, s, kernelsOn(t, gone, gone.Token)), s.Notebook(t, "1"))
		got := sessiontest.Run(t, d, "c0")
		test.Eq(t, run.Cancelled, got[0].State)
		test.ErrorIs(t, got[0].Err, jupyter.ErrUnreachable)
		test.StrContains(t, got[0].Err.Error(), "the runtime server at "+gone.URL)
		if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "new", Type: "code", Source: "1"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		c, ok := d.Notebook().Cell("new")
		must.True(t, ok, must.Sprint("the edit is not there"))
		test.Eq(t, "1", c.Source, test.Sprint("the edit is not there"))
	})
}

// A notebook that is tied to a kernel runs in that kernel, even after a rename; a missing kernel is reported when it is
// needed.
func TestFixedKernel(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x + 1", "x")
		plain := sessiontest.Manager(t, s, session.Config{})
		a, err := analysis.New(plain).Create(t.Context(), "ada", analysis.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Evaluate(t.Context(), "x = 41", nil); err != nil {
			t.Fatal(err)
		}
		m := sessiontest.Manager(t, s, session.Config{FixedKernel: kernel.Fixed{Path: jupyter.MustPath(path), ID: a.KernelID()}})
		k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err, must.Sprint("before any run"))
		must.True(t, ok, must.Sprint("before any run"))
		test.Eq(t, a.KernelID(), k.ID, test.Sprint("before any run"))
		d := sessiontest.Open(t, m, path)
		if got := sessiontest.Run(t, d, "c0"); sessiontest.Text(got[0].Outputs) != "execute_result:42;" {
			t.Errorf("%q, %v", sessiontest.Text(got[0].Outputs), got[0].Err)
		}
		// All clients of the notebook share the kernel.
		k, ok, err = plain.Kernel(t.Context(), jupyter.MustPath(path))
		must.NoError(t, err, must.Sprint("for others"))
		must.True(t, ok, must.Sprint("for others"))
		test.Eq(t, a.KernelID(), k.ID, test.Sprint("for others"))
		moved := s.Name(t, "-moved.ipynb")
		if _, err := files.New(m).Rename(t.Context(), jupyter.MustPath(path), jupyter.MustPath(moved)); err != nil {
			t.Fatal(err)
		}
		if got := sessiontest.Run(t, d, "c1"); sessiontest.Text(got[0].Outputs) != "execute_result:41;" {
			t.Errorf("under another name: %q, %v", sessiontest.Text(got[0].Outputs), got[0].Err)
		}
		joined, err := analysis.New(m).Connect(t.Context(), "bob", jupyter.MustPath(moved), "")
		must.NoError(t, err, must.Sprint("joined"))
		test.Eq(t, a.KernelID(), joined.KernelID(), test.Sprint("joined"))
		if _, err := d.Kernel().Assign(t.Context(), "python3"); err != nil {
			t.Errorf("its own kernelspec: %v", err)
		}
		if specs, err := m.Servers().Documents.Kernels.Specs(t.Context()); err == nil && len(specs.Specs) > 1 {
			for name := range specs.Specs {
				if name != "python3" {
					if _, err := d.Kernel().Assign(t.Context(), name); !errors.Is(err, kernel.ErrFixed) {
						t.Errorf("another kernelspec: %v", err)
					}
					break
				}
			}
		}
		c, err := d.Kernel().Restart(t.Context(), "", true)
		must.NoError(t, err, must.Sprint("restart"))
		test.Eq(t, a.KernelID(), c.Kernel.ID, test.Sprint("restart"))
		// Another notebook has a separate kernel.
		elsewhere := sessiontest.Open(t, m, s.Notebook(t, "'x' in globals()"))
		if got := sessiontest.Run(t, elsewhere, "c0"); sessiontest.Text(got[0].Outputs) != "execute_result:False;" {
			t.Errorf("another notebook: %q, %v", sessiontest.Text(got[0].Outputs), got[0].Err)
		}

		lacks := s.Notebook(t, "1")
		m = sessiontest.Manager(t, s, session.Config{FixedKernel: kernel.Fixed{Path: jupyter.MustPath(lacks), ID: "no-such-kernel"}})
		got := sessiontest.Run(t, sessiontest.Open(t, m, lacks), "c0")
		test.Eq(t, run.Cancelled, got[0].State, test.Sprint("a kernel that is not there"))
		test.ErrorIs(t, got[0].Err, kernel.ErrFixed, test.Sprint("a kernel that is not there"))
		test.StrContains(t, got[0].Err.Error(), `"no-such-kernel"`, test.Sprint("a kernel that is not there"))
		_, ok, err = m.Kernel(t.Context(), jupyter.MustPath(lacks))
		test.False(t, ok, test.Sprint("a kernel that is not there"))
		test.NoError(t, err, test.Sprint("a kernel that is not there"))
		if _, err := analysis.New(m).Create(t.Context(), "ada", analysis.Options{NotebookPath: jupyter.MustPath(lacks)}); !errors.Is(err, kernel.ErrFixed) {
			t.Errorf("a session with a kernel that is not there: %v", err)
		}
		b, err := json.Marshal(sessionsOf(t, m.Servers().Documents))
		must.NoError(t, err, must.Sprint("a kernel was started"))
		test.StrNotContains(t, string(b), lacks, test.Sprint("a kernel was started"))
	})
}
