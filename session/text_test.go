package session_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// A text file is edited in the room that JupyterLab's editor joins, another agent sees the edit and where the caret is,
// and the file follows.
func TestTextDocument(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Write(t, s.Name(t, "-notes é#1.md"), "# Über 😀\n\nend\n")
		m, other := sessiontest.Manager(t, s, session.Config{AgentName: "One"}), sessiontest.Manager(t, s, session.Config{AgentName: "Two"})
		d, o := sessiontest.OpenText(t, m, "/"+path), sessiontest.OpenText(t, other, path)
		if got := d.Text().String(); got != "# Über 😀\n\nend\n" {
			t.Fatalf("it reads %q", got)
		}
		if d.Notebook() != nil {
			t.Error("a text has a notebook")
		}
		if err := d.EditText(t.Context(), "insert", func(e *ydoc.TextEditor) error { return e.Replace(9, 0, " and more") }); err != nil {
			t.Fatal(err)
		}
		d.Point(sessiontest.AsClient(t.Context()), "", 10)
		const want = "# Über 😀 and more\n\nend\n"
		sessiontest.Eventually(t, "the other sees the edit", func() bool { return o.Text().String() == want })
		sessiontest.Eventually(t, "the other sees the caret", func() bool {
			for _, p := range o.People() {
				if p.Name == "One" && p.Caret && p.Offset == 10 {
					return true
				}
			}
			return false
		})
		sessiontest.Eventually(t, "it is on disk", func() bool { return s.Read(t, path) == want })
		if u := d.Unsaved(); u != "" {
			t.Errorf("said to be unsaved: %s", u)
		}
		infos := m.Sessions(jupyter.Path{})
		must.SliceLen(t, 1, infos, must.Sprint("its session"))
		test.False(t, infos[0].Notebook, test.Sprint("its session"))
		test.Eq(t, session.Connected, infos[0].Status, test.Sprint("its session"))
	})
}

// A file that is not text is refused before a room is created for it, and an open document is not opened as the other kind.
func TestNotText(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		binary := s.Write(t, s.Name(t, ".bin"), "\xff\xfe\x00\x80binary")
		large := s.Write(t, s.Name(t, ".txt"), strings.Repeat("0123456789abcdef", 1<<20)+"x")
		notebook, text := s.Notebook(t, "x = 1"), s.Write(t, s.Name(t, ".txt"), "text")
		for what, path := range map[string]string{"binary": binary, "large": large, "notebook": notebook, "folder": ""} {
			if _, err := m.OpenText(t.Context(), jupyter.MustPath(path)); !errors.Is(err, session.ErrNotText) {
				t.Errorf("open the %s as text: %v", what, err)
			}
		}
		if _, err := m.OpenText(t.Context(), jupyter.MustPath(s.Name(t, ".txt"))); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("open what is not there: %v", err)
		}
		if m.IsOpen(jupyter.Path{}) {
			t.Error("something that was refused is open")
		}
		sessiontest.OpenText(t, m, text)
		sessiontest.Open(t, m, notebook)
		if _, err := m.Open(t.Context(), jupyter.MustPath(text)); !errors.Is(err, session.ErrNotNotebook) {
			t.Errorf("open an open text as a notebook: %v", err)
		}
		if _, err := m.OpenText(t.Context(), jupyter.MustPath(notebook)); !errors.Is(err, session.ErrNotText) {
			t.Errorf("open an open notebook as text: %v", err)
		}
		test.True(t, m.IsOpen(jupyter.MustPath(text)), test.Sprint("what is open is not told right"))
		test.True(t, m.IsOpen(jupyter.Path{}), test.Sprint("what is open is not told right"))
		test.False(t, m.IsOpen(jupyter.MustPath(text+"x")), test.Sprint("what is open is not told right"))
	})
}

// A text renamed through the server is followed.
func TestRenamedTextIsFollowed(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path, to := s.Write(t, s.Name(t, ".py"), "x = 1\n"), s.Name(t, "-moved.py")
		d := sessiontest.OpenText(t, m, path)
		if _, err := m.Servers().Documents.Contents.Rename(t.Context(), jupyter.MustPath(path), jupyter.MustPath(to)); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the document has the new path", func() bool { return d.Path().String() == to })
		if err := d.EditText(t.Context(), "insert", func(e *ydoc.TextEditor) error { return e.Replace(0, 0, "# moved\n") }); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the new file has the edit", func() bool { return sessiontest.FileHas(s, to, "# moved\nx = 1") })
	})
}

// A room that is joined at the file's new path can still have the former one in its state. The document keeps the new path.
func TestJoinedRightAfterARename(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		tab, m := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{})
		path, to := jupyter.MustPath(s.Notebook(t, "x = 1")), jupyter.MustPath(s.Name(t, "-moved.ipynb"))
		sessiontest.Open(t, tab, path.String())
		if _, err := m.Servers().Documents.Contents.Rename(t.Context(), path, to); err != nil {
			t.Fatal(err)
		}
		d := sessiontest.Open(t, m, to.String())
		for range 200 {
			must.EqOp(t, to, d.Path())
			must.False(t, m.IsOpen(path))
			time.Sleep(5 * time.Millisecond)
		}
		if again := sessiontest.Open(t, m, to.String()); again != d {
			t.Error("the notebook was opened twice")
		}
	})
}
