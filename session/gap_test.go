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

// A room that lacks a part of its document is not shown as an empty notebook: its file is shown, with the reason and advice,
// and nothing is written. When the room is repaired, the notebook shows the room again.
func TestRoomWithGap(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Write(t, s.Name(t, ".ipynb"), `{"cells": [
			{"cell_type": "markdown", "id": "m", "metadata": {"k": 1}, "source": ["# Title\n", "text"]},
			{"cell_type": "code", "id": "c", "execution_count": 3, "metadata": {}, "source": "1", "outputs": [
				{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
				{"output_type": "execute_result", "execution_count": 3, "metadata": {}, "data": {"text/plain": ["1"]}}]}],
			"metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}`)
		before := s.Read(t, path)
		s.Fake.Rooms.Gap(path, true)
		m := sessiontest.Manager(t, s, session.Config{})
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		cells := d.Notebook().Cells()
		must.SliceLen(t, 2, cells)
		test.Eq(t, "m", cells[0].ID)
		test.Eq(t, "# Title\ntext", cells[0].Source)
		test.Eq(t, 3, *cells[1].ExecutionCount)
		test.False(t, sessiontest.Text(cells[1].Outputs) != "stream:a\nb\n;execute_result:1;" && sessiontest.Text(cells[1].Outputs) != "stdout:a\nb\n;execute_result:1;")
		for _, want := range []string{"changes of client 0", "missing", "its file as of 00:00:", "cannot be edited", ".jupyter_ystore.db"} {
			if away := d.Away(); !strings.Contains(away, want) {
				t.Errorf("%q is not said: %s", want, away)
			}
		}
		var notMade *session.NotMadeError
		var gap *session.IncompleteError
		insert := func(d *session.Document) error {
			return d.Edit(m.WithBudget(t.Context(), nil), "add a cell", func(e *ydoc.Editor) error {
				_, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code, Source: "new"})
				return err
			})
		}
		if err := insert(d); !errors.As(err, &notMade) || !errors.As(err, &gap) {
			t.Errorf("an edit: %v", err)
		}
		if _, err := d.Run(t.Context(), []string{"c"}); !errors.As(err, &gap) {
			t.Errorf("a run: %v", err)
		}
		if len(d.Notebook().Cells()) != 2 {
			t.Error("the refused edit is shown")
		}
		d.Release()
		infos := m.Sessions(jupyter.Path{})
		must.SliceLen(t, 1, infos, must.Sprint(err))
		test.NotEq(t, "", infos[0].FileID, test.Sprint(err))
		time.Sleep(6 * time.Second)
		if s.Read(t, path) != before {
			t.Error("the file was written")
		}
		s.Fake.Rooms.Gap(path, false)
		if d, err = m.Open(t.Context(), jupyter.MustPath(path)); err != nil {
			t.Fatal(err)
		}
		defer d.Release()
		err = insert(d)
		must.NoError(t, err, must.Sprint("when it is mended"))
		test.Eq(t, "", d.Away(), test.Sprint("when it is mended"))
		test.Eq(t, 3, d.Notebook().Len(), test.Sprint("when it is mended"))
	})
}

// A text whose room lacks a part of it is not opened with different content.
func TestTextRoomWithGap(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Write(t, s.Name(t, ".md"), "a text that a room is built from")
		s.Fake.Rooms.Gap(path, true)
		m := sessiontest.Manager(t, s, session.Config{})
		var gap *session.IncompleteError
		_, err := m.OpenText(t.Context(), jupyter.MustPath(path))
		must.True(t, errors.As(err, &gap))
		test.StrContains(t, err.Error(), "damaged")
	})
}
