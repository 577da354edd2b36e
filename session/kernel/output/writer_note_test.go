package output

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// slowRoom applies edits at once, and confirms none of the first in time.
type slowRoom struct {
	nb          *ydoc.Notebook
	unconfirmed int
}

func (s *slowRoom) Path() jupyter.Path       { return jupyter.MustPath("a.ipynb") }
func (s *slowRoom) Notebook() *ydoc.Notebook { return s.nb }

func (s *slowRoom) Calm() <-chan struct{} {
	calm := make(chan struct{})
	close(calm)
	return calm
}

func (s *slowRoom) Edit(_ context.Context, name string, fn func(*ydoc.Editor) error) error {
	err := s.nb.Edit(name, fn)
	if err == nil && s.unconfirmed > 0 {
		s.unconfirmed--
		return unconfirmedError{errors.New("the room is slow")}
	}
	return err
}

type unconfirmedError struct{ error }

func (unconfirmedError) Unconfirmed() {}

// A note in the cell of a run that no kernel has begun appears once, after the earlier run's outputs, though the room does
// not confirm it in time.
func TestNoteIsWrittenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := &slowRoom{ydoc.NewNotebook(), 3}
		must.NoError(t, room.nb.Edit("begin", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "a", Type: ydoc.Code})
			return err
		}))
		must.NoError(t, room.nb.Edit("output", func(e *ydoc.Editor) error { return e.AppendStream("a", "stdout", "earlier\n") }))
		w := NewWriter(t.Context(), Target{Notebook: room, Cell: "a", Displays: NewDisplays(), Log: slog.New(slog.DiscardHandler)})
		w.Note("[not run]\n")
		time.Sleep(time.Minute)
		w.Finish()
		w.Close()
		cell, _ := room.nb.Cell("a")
		must.SliceLen(t, 2, cell.Outputs)
		test.Eq[any](t, "earlier\n", cell.Outputs[0]["text"])
		test.Eq[any](t, "[not run]\n", cell.Outputs[1]["text"])
	})
}

// Outputs that the server writes itself stay unchanged when the room is rejoined meanwhile.
func TestMirroredOutputsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rejoined := func() *ydoc.Notebook {
			nb := ydoc.NewNotebook()
			must.NoError(t, nb.Edit("begin", func(e *ydoc.Editor) error {
				_, err := e.Insert(0, ydoc.NewCell{ID: "a", Type: ydoc.Code})
				return errors.Join(err, e.AppendStream("a", "stdout", "by the server\n"))
			}))
			return nb
		}
		room := &slowRoom{rejoined(), 0}
		w := NewWriter(t.Context(), Target{Notebook: room, Cell: "a", Displays: NewDisplays(), Log: slog.New(slog.DiscardHandler)})
		synctest.Wait()
		room.nb = rejoined()
		cell, _ := room.nb.Cell("a")
		w.Mirror(cell.Outputs, nil)
		w.Finish()
		w.Close()
		cell, _ = room.nb.Cell("a")
		must.SliceLen(t, 1, cell.Outputs)
		test.Eq[any](t, "by the server\n", cell.Outputs[0]["text"])
	})
}
