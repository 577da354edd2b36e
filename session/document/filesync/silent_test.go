package filesync_test

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
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// jupyter-collaboration 2 and 3 do not answer saves: the file's content is the proof, as soon as the server has saved.
func TestLeavingAServerThatSendsNoWordOnSaves(t *testing.T) {
	for name, c := range map[string]struct {
		version int
		pause   time.Duration // after the edit
		whole   bool
	}{
		"version 2, at once":  {2, 0, true},
		"version 3, at once":  {3, 0, true},
		"version 2, later":    {2, time.Minute, true},
		"version 3, later":    {3, time.Minute, true},
		"version 3, not done": {3, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				s.Fake.Rooms.Old(c.version)
				s.Fake.Rooms.SaveWithoutWriting(!c.whole)
				path := s.Notebook(t, "1")
				m := sessiontest.Manager(t, s, session.Config{})
				d, err := m.Open(t.Context(), jupyter.MustPath(path))
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					sessiontest.AppendCell(t, d, "'an edit'")
					time.Sleep(c.pause)
				}
				if note := d.Unsaved() + d.Overwritten(); note != "" {
					t.Errorf("said of the file: %s", note)
				}
				d.Release()
				began := time.Now()
				_, _, err = m.End(t.Context(), jupyter.MustPath(path))
				took := time.Since(began)
				if !c.whole {
					unsaved := (*filesync.UnsavedError)(nil)
					must.True(t, errors.As(err, &unsaved))
					test.StrContains(t, unsaved.Reason, "not known whether the file has all of it")
					return
				}
				must.NoError(t, err)
				test.LessEq(t, 2*time.Second, took)
				if strings.Count(s.Read(t, path), "'an edit'") != 2 {
					t.Errorf("the file is %s", s.Read(t, path))
				}
			})
		})
	}
}

// Regardless of the server's answers to saves, a session ends without an error if the file has everything.
func TestLeavingProvesTheFile(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "1")
		m := sessiontest.Manager(t, s, session.Config{})
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		sessiontest.AppendCell(t, d, "'an edit'")
		d.Release()
		if _, _, err := m.End(t.Context(), jupyter.MustPath(path)); err != nil {
			t.Error(err)
		}
		if !sessiontest.FileHas(s, path, "'an edit'") {
			t.Errorf("the file is %s", s.Read(t, path))
		}
	})
}
