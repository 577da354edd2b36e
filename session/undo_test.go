package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// call returns the context of a client's call.
func call(t *testing.T, client string, number uint64) context.Context {
	return origin.With(t.Context(), origin.Author{Client: client, Call: number, Tool: "modify_nb_cells"})
}

func sets(ctx context.Context, t *testing.T, d *session.Document, id, source string) {
	t.Helper()
	if err := d.Edit(ctx, "set", func(e *ydoc.Editor) error { return e.SetSource(id, source) }); err != nil {
		t.Fatal(err)
	}
}

func sourceIn(d *session.Document, id string) string {
	c, _ := d.Notebook().Cell(id)
	return c.Source
}

// The edits of a call are undone in the room, next to a person's text; its runs are noted, but are not steps. An edit
// without a call is not a step. Renaming the file keeps the history.
func TestCallsAreTakenBack(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1", "y = 2")
		d := sessiontest.Open(t, m, path)
		p := sessiontest.PersonIn(t, sessiontest.Server(t, s), path)
		sets(t.Context(), t, d, "c1", "y = 3") // not in a call
		sets(call(t, "a", 1), t, d, "c0", "x = 10")
		runs, err := d.Run(call(t, "a", 1), []string{"c0"})
		if err != nil {
			t.Fatal(err)
		}
		<-runs[0].Done()
		sessiontest.Eventually(t, "the person sees it", func() bool { c, _ := p.Notebook.Cell("c0"); return c.Source == "x = 10" })
		if err := p.Notebook.Edit("type", func(e *ydoc.Editor) error { return e.SetSource("c0", "x = 10 # mine") }); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "it is typed", func() bool { return sourceIn(d, "c0") == "x = 10 # mine" })
		mine := d.StepsOf(origin.Author{Client: "a"})
		list := mine.List(t.Context())
		must.SliceLen(t, 1, list)
		must.SliceEqOp(t, []string{"c0"}, list[0].Cells)
		must.SliceEqOp(t, []string{"c0"}, list[0].Ran)
		moved := jupyter.MustPath(strings.TrimSuffix(path, ".ipynb") + "-moved.ipynb")
		if _, err := sessiontest.Server(t, s).Contents.Rename(t.Context(), jupyter.MustPath(path), moved); err != nil {
			t.Fatal(err)
		}
		o, err := mine.Undo(t.Context(), 1)
		must.NoError(t, err)
		test.SliceEqOp(t, []string{"c0"}, o.Cells)
		test.SliceEqOp(t, []string{"c0"}, o.Ran())
		sessiontest.Eventually(t, "it is taken back for the person", func() bool { c, _ := p.Notebook.Cell("c0"); return c.Source == "x = 1 # mine" })
		if _, err := mine.Undo(t.Context(), 1); !errors.Is(err, undo.ErrNothing) {
			t.Errorf("%v", err)
		}
		_, err = mine.Redo(t.Context(), 1)
		must.NoError(t, err)
		test.Eq(t, "x = 10 # mine", sourceIn(d, "c0"))
		m.Forget("a")
		if list := mine.List(t.Context()); list != nil {
			t.Errorf("%+v", list)
		}
	})
}

// An edit that is reported as not made, or as unknown, is not a step.
func TestALostEditIsNoStep(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		o := newOutage(t)
		mine := o.d.StepsOf(origin.Author{Client: "a"})
		sets(call(t, "a", 1), t, o.d, "c0", "made")
		o.cable.Stall()
		time.AfterFunc(2*time.Second, func() {
			o.s.Fake.Restart(false)
			o.cable.Drop()
			o.cable.Mend()
		})
		err := o.bounded("an edit", func(ctx context.Context) error {
			ctx = origin.With(ctx, origin.Author{Client: "a", Call: 2, Tool: "modify_nb_cells"})
			return o.d.Edit(ctx, "set", func(e *ydoc.Editor) error { return e.SetSource("c0", "lost") })
		})
		var lost *session.LostError
		list := mine.List(t.Context())
		must.True(t, errors.As(err, &lost))
		test.SliceEmpty(t, list)
		err = o.bounded("taking back", func(ctx context.Context) error {
			_, err := mine.Undo(ctx, 1)
			return err
		})
		at, why := mine.Since()
		test.ErrorIs(t, err, undo.ErrNothing)
		test.Eq(t, undo.JoinedAfresh, why)
		test.LessEq(t, session.DefaultServerTimeout, time.Since(at))
	})
}

// After the file was reloaded, or the document was closed, earlier edits cannot be undone, and the time of that is known.
func TestHistoryEndsWithAReload(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1", "y = 2")
		d := sessiontest.Open(t, m, path)
		sets(call(t, "a", 1), t, d, "c0", "x = 10")
		sessiontest.Eventually(t, "the edit is in the file", func() bool { return sessiontest.FileHas(s, path, "x = 10") })
		full := filepath.Join(s.Root, path)
		b, err := os.ReadFile(full)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // or the server takes it for its own save
		if err := os.WriteFile(full, []byte(strings.Replace(string(b), "y = 2", "y = 20", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the document has the other program's edit", func() bool { return sourceIn(d, "c1") == "y = 20" })
		mine := d.StepsOf(origin.Author{Client: "a"})
		sessiontest.Eventually(t, "the history has begun again", func() bool { _, why := mine.Since(); return why == undo.Reloaded })
		_, err = mine.Undo(t.Context(), 1)
		test.ErrorIs(t, err, undo.ErrNothing)
		test.Eq(t, "x = 10", sourceIn(d, "c0"))
		sets(call(t, "a", 2), t, d, "c1", "y = 200")
		_, err = mine.Undo(t.Context(), 9)
		must.NoError(t, err)
		test.Eq(t, "y = 20", sourceIn(d, "c1"))
	})
}
