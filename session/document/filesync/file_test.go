package filesync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// An edit is on disk soon, without another client in the room.
func TestEditsAreSaved(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d := sessiontest.Open(t, m, path)
		sessiontest.AppendCell(t, d, "soon = True")
		sessiontest.Eventually(t, "it is on disk", func() bool { return sessiontest.FileHas(s, path, "soon = True") })
		if u := d.Unsaved(); u != "" {
			t.Errorf("said to be unsaved: %s", u)
		}
	})
}

// A renamed file is followed: the room, the edits and the kernel move along.
func TestRenamedFileIsFollowed(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, guest := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{AgentName: "guest"})
		path, to := s.Notebook(t, "x = 41", "print(x + 1)"), s.Name(t, "-new é#.ipynb")
		d := sessiontest.Open(t, m, path)
		sessiontest.Run(t, sessiontest.Open(t, guest, path), "c0")
		before, _, err := m.Kernel(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		// If a file is renamed while it is being saved, the server takes it for one that another program has changed, and reads it
		// again. So no save may be pending: the editing client has saved, and left.
		if err := guest.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !sessiontest.FileHas(s, path, `"execution_count": 1`) {
			t.Error("the run is not saved")
		}
		if _, err := m.Servers().Documents.Contents.Rename(t.Context(), jupyter.MustPath(path), jupyter.MustPath(to)); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the document has the new path", func() bool { return d.Path().String() == to })
		sessiontest.AppendCell(t, d, "followed = True")
		sessiontest.Eventually(t, "the new file has the edit", func() bool { return sessiontest.FileHas(s, to, "followed = True") })
		again := sessiontest.Open(t, m, "/"+to)
		if again != d {
			t.Error("the new path opens another document")
		}
		sessiontest.Eventually(t, "the kernel went along", func() bool {
			k, ok, err := m.Kernel(t.Context(), jupyter.MustPath(to))
			return err == nil && ok && k.ID == before.ID
		})
		if got := sessiontest.Text(sessiontest.Run(t, d, "c1")[0].Outputs); got != "stdout:42\n;" {
			t.Errorf("the kernel says %q", got)
		}
		if _, err := m.Open(t.Context(), jupyter.MustPath(path)); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("the old path opens: %v", err)
		}
	})
}

// Edits of a document whose file was deleted are not written. That is reported, and the document is closed.
func TestDeletedFileIsReported(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Servers().Documents.Contents.Delete(t.Context(), jupyter.MustPath(path)); err != nil {
			t.Fatal(err)
		}
		sessiontest.AppendCell(t, d, "nowhere = True")
		sessiontest.Eventually(t, "it is said to be unsaved", func() bool { return strings.Contains(d.Unsaved(), "moved or deleted") })
		d.Release()
		if _, err := m.Open(t.Context(), jupyter.MustPath(path)); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("opened again: %v, want not found", err)
		}
		sessiontest.Eventually(t, "the session has ended", func() bool {
			infos := m.Sessions(jupyter.Path{})
			return len(infos) == 1 && infos[0].Status == session.Disconnected && infos[0].Unsaved != ""
		})
	})
}

// Another program's changes of the file appear in the document.
func TestFileChangedOnDiskIsSeen(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		path := s.Notebook(t, "x = 1")
		d := sessiontest.Open(t, m, path)
		full := filepath.Join(s.Root, path)
		b, err := os.ReadFile(full)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(strings.Replace(string(b), "x = 1", "x = 2", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the document has the other program's edit", func() bool {
			c, _ := d.Notebook().CellAt(0)
			return c.Source == "x = 2"
		})
		sessiontest.AppendCell(t, d, "after = True")
		sessiontest.Eventually(t, "the file has both", func() bool {
			return sessiontest.FileHas(s, path, "x = 2") && sessiontest.FileHas(s, path, "after = True")
		})
	})
}

// A client that leaves while others write and save is told that its edits are in the file, which they are, regardless of who
// saved last.
func TestLeftWhileOthersSave(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		ctx, stop := context.WithCancel(t.Context())
		var others sync.WaitGroup
		defer others.Wait()
		defer stop()
		for i := range 3 {
			d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{AgentName: fmt.Sprint("other ", i)}), path)
			others.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					err := d.Edit(ctx, "type", func(e *ydoc.Editor) error { return e.SetSource("c0", fmt.Sprint("x = ", i, n)) })
					if err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
					select {
					case <-ctx.Done():
					case <-time.After(300 * time.Millisecond):
					}
				}
			})
		}
		m := sessiontest.Manager(t, s, session.Config{})
		for n := range 6 {
			d, err := m.Open(t.Context(), jupyter.MustPath(path))
			if err != nil {
				t.Fatal(err)
			}
			sessiontest.AppendCell(t, d, fmt.Sprint("mine = ", n))
			d.Release()
			if info, _, err := m.End(t.Context(), jupyter.MustPath(path)); err != nil {
				t.Errorf("left with %v: %+v", err, info)
			}
			// The server writes a file in place: during another save, it is half written.
			var text []byte
			sessiontest.Eventually(t, "a whole file", func() bool {
				text, err = os.ReadFile(filepath.Join(s.Root, path))
				return err == nil && json.Valid(text)
			})
			if !strings.Contains(string(text), fmt.Sprint("mine = ", n)) {
				t.Errorf("edit %d is not in the file", n)
			}
		}
	})
}
