package filesync_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A session that ends with confirmed edits in no file lists them, however its room has ended.
func TestEndSaysWhatIsInNoFile(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(t *testing.T, s *jupytertest.Server, path string)
		says []string
	}{
		"the file is deleted": {func(t *testing.T, s *jupytertest.Server, path string) {
			if err := os.Remove(filepath.Join(s.Root, path)); err != nil {
				t.Fatal(err)
			}
		}, []string{"moved or deleted", "unsaved: cell ", `"an edit"`, "repeat what is missing"}},
		"nothing is written": {func(_ *testing.T, s *jupytertest.Server, _ string) {
			s.Fake.Rooms.SaveWithoutWriting(true)
		}, []string{"was not written", "unsaved: cell ", `"an edit"`}},
		"the server was restarted": {func(_ *testing.T, s *jupytertest.Server, path string) {
			s.Fake.Rooms.ForgetHistory(path)
			s.Fake.Restart(false)
		}, []string{"before it had saved all of it", "cell ", `"an edit"`}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				path := s.Notebook(t, "1")
				m := sessiontest.Manager(t, s, session.Config{})
				d, err := m.Open(t.Context(), jupyter.MustPath(path))
				if err != nil {
					t.Fatal(err)
				}
				sessiontest.AppendCell(t, d, "an edit")
				before := d.Notebook()
				c.lose(t, s, path)
				if name == "the server was restarted" {
					sessiontest.Eventually(t, "the room is joined again", func() bool { return d.Notebook() != before && d.Unsaved() == "" && d.Notebook().Len() == 1 })
				}
				d.Release()
				info, found, err := m.End(t.Context(), jupyter.MustPath(path))
				said := info.Lost
				if unsaved := (*filesync.UnsavedError)(nil); errors.As(err, &unsaved) {
					said += unsaved.Reason
				} else if err != nil {
					t.Errorf("ended with %v", err)
				}
				for _, want := range c.says {
					test.True(t, found)
					test.StrContains(t, said, want)
				}
			})
		})
	}
}
