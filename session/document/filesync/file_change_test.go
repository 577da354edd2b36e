package filesync_test

import (
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// Events that can happen to the file of an open notebook, and their tests:
//
//	rewritten by another program        TestFileChangedOnDiskIsSeen
//	a cell's source rewritten           TestFileChangedOnDiskIsSeen (the server retypes the cell; we only follow)
//	a text file rewritten               rtc: TestTextFileRewritten
//	same content, newer time            TestFileChanges/touched
//	replaced by a rename over it        TestFileChanges/replaced
//	written with an older time          TestFileChanges/restored
//	broken JSON written                 TestFileChanges/broken
//	renamed through the server          TestRenamedFileIsFollowed
//	its folder renamed                  TestFileChanges/folder_renamed
//	moved outside Jupyter               TestFileChanges/moved_away_and_back
//	deleted through the server          TestDeletedFileIsReported
//	removed outside Jupyter             TestFileChanges/removed_and_back
//	written through the Contents API    TestFileChanges/put
//	CRLF line ends                      rtc: TestTextFileWithCRLF
//	any of these before we have saved   TestOverwrittenEditIsReported
//	read-only                           TestReadOnlyFileIsReported
//
// Each subtest opens a notebook of one cell and changes its file.
func TestFileChanges(t *testing.T) {
	for name, test := range map[string]func(*testing.T, *fileChange){
		"touched": func(t *testing.T, f *fileChange) {
			later := time.Now().Add(time.Hour)
			if err := os.Chtimes(f.full, later, later); err != nil {
				t.Fatal(err)
			}
			f.serverLooks()
			f.stillFollows("after")
			f.has("x = 1", "after = True")
		},
		"replaced": func(t *testing.T, f *fileChange) {
			next := f.full + ".tmp"
			f.write(next, strings.Replace(f.read(), "x = 1", "x = 2", 1))
			if err := os.Rename(next, f.full); err != nil {
				t.Fatal(err)
			}
			// The server may have saved in between, because it saves its own writes to the state: the file would look older than
			// that, and never be noticed.
			if now := time.Now(); os.Chtimes(f.full, now, now) != nil {
				t.Fatal("the file has no time")
			}
			sessiontest.Eventually(t, "the document has the new content", func() bool { return f.source(0) == "x = 2" })
			f.stillFollows("after")
			f.has("x = 2", "after = True")
		},
		// The server does not notice this, and neither do its clients: the room stays as it is, and the next save makes the file
		// follow. Only a save before the server's next look at the file finds it changed, so no save may be pending: the editing
		// client has saved, and left.
		"restored": func(t *testing.T, f *fileChange) {
			next := f.full + ".tmp"
			f.write(next, f.read())
			past := time.Now().Add(-time.Hour)
			if err := os.Chtimes(next, past, past); err != nil {
				t.Fatal(err)
			}
			guest := sessiontest.Manager(t, f.s, session.Config{AgentName: "guest"})
			sessiontest.AppendCell(t, sessiontest.Open(t, guest, f.path), "before = True")
			if err := guest.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			sessiontest.Eventually(t, "the edit is here", func() bool { return f.source(1) == "before = True" })
			if err := os.Rename(next, f.full); err != nil {
				t.Fatal(err)
			}
			f.serverLooks()
			f.stillFollows("after")
			f.has("before = True", "after = True")
		},
		"broken": func(_ *testing.T, f *fileChange) {
			f.write(f.full, "{ this is not JSON")
			f.stillFollows("after")
			f.has("x = 1", "after = True")
		},
		"put": func(t *testing.T, f *fileChange) {
			f.put(strings.Replace(f.read(), "x = 1", "x = 2", 1))
			sessiontest.Eventually(t, "the document has the new content", func() bool { return f.source(0) == "x = 2" })
			f.stillFollows("after")
			f.has("x = 2", "after = True")
		},
		"folder renamed": func(t *testing.T, f *fileChange) {
			from := filepath.ToSlash(filepath.Dir(f.path))
			if _, err := f.m.Servers().Documents.Contents.Rename(t.Context(), jupyter.MustPath(from), jupyter.MustPath(from+"-new")); err != nil {
				t.Fatal(err)
			}
			sessiontest.AppendCell(t, f.d, "nowhere = True")
			f.isUnsaved("moved or deleted")
			f.giveBack(filepath.Dir(f.full)+"-new", filepath.Dir(f.full))
		},
		"moved away and back": func(t *testing.T, f *fileChange) {
			if err := os.Rename(f.full, f.full+".away"); err != nil {
				t.Fatal(err)
			}
			sessiontest.AppendCell(t, f.d, "late = True")
			f.isUnsaved("moved or deleted")
			f.giveBack(f.full+".away", f.full)
			f.stillFollows("after")
			f.has("late = True", "after = True")
		},
		"removed and back": func(t *testing.T, f *fileChange) {
			was := f.read()
			if err := os.Remove(f.full); err != nil {
				t.Fatal(err)
			}
			sessiontest.AppendCell(t, f.d, "nowhere = True")
			f.isUnsaved("moved or deleted")
			f.write(f.full+".tmp", strings.Replace(was, "x = 1", "x = 2", 1))
			f.giveBack(f.full+".tmp", f.full)
			// The file's content comes back: the room takes it over.
			sessiontest.Eventually(t, "the document has the file's content", func() bool {
				return f.source(0) == "x = 2" && f.d.Notebook().Len() == 1
			})
			f.stillFollows("after")
			f.has("x = 2", "after = True")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			jupytertest.Test(t, func(t *testing.T) { test(t, newFileChange(t, jupytertest.Shared(t))) })
		})
	}
}

// A clock that was wrong once, or a copy from another machine, leaves a file with a future time: later saves look older than
// it.
func TestFileFromTheFuture(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(filepath.Join(s.Root, path), later, later); err != nil {
			t.Fatal(err)
		}
		d := sessiontest.Open(t, sessiontest.Manager(t, s, session.Config{}), path)
		sessiontest.AppendCell(t, d, "after = True")
		sessiontest.Eventually(t, "it is on disk", func() bool { return sessiontest.FileHas(s, path, "after = True") })
		time.Sleep(3 * time.Second) // at least one look at the file
		if u := d.Unsaved(); u != "" {
			t.Errorf("said to be unsaved: %s", u)
		}
	})
}

// The answer to a save of a file that cannot be written is "success".
func TestReadOnlyFileIsReported(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	s := jupytertest.Start(t, jupytertest.WithEnv("PYTHONPATH="+folder),
		jupytertest.WithFlags("--ServerApp.contents_manager_class=readonly_contents.ReadOnlyContents"))
	m := sessiontest.Manager(t, s, session.Config{})
	path := "readonly.ipynb"
	s.Write(t, path, s.Read(t, s.Notebook(t, "x = 1")))
	d, err := m.Open(t.Context(), jupyter.MustPath(path))
	if err != nil {
		t.Fatal(err)
	}
	if u := d.Unsaved(); !strings.Contains(u, "read-only") {
		t.Errorf("before any edit: %q, want that the file is read-only", u)
	}
	sessiontest.AppendCell(t, d, "nowhere = True")
	d.Release()
	_, ok, err := m.End(t.Context(), jupyter.MustPath(path))
	var unsaved *filesync.UnsavedError
	must.True(t, ok, must.Sprint("end"))
	must.True(t, errors.As(err, &unsaved), must.Sprint("end"))
	test.StrContains(t, err.Error(), "read-only", test.Sprint("end"))
	if sessiontest.FileHas(s, path, "nowhere") {
		t.Error("the server has written the file all the same")
	}
}

// An edit that was confirmed, but is not in the file yet, may be undone when another program writes the file: the server
// then loads the file's content, or writes ours over it. The first is reported.
func TestOverwrittenEditIsReported(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		f := newFileChange(t, jupytertest.Shared(t))
		f.stillFollows("before")
		was := f.read()
		for i := range 4 {
			next := f.full + ".tmp"
			f.write(next, strings.Replace(was, "x = 1", fmt.Sprintf("x = %d", 10+i), 1))
			if err := os.Rename(next, f.full); err != nil {
				t.Fatal(err)
			}
			id := sessiontest.AppendCell(t, f.d, "perhaps = True")
			f.serverLooks()
			_, there := f.d.Notebook().Cell(id)
			if told := f.d.Overwritten() != ""; !there && !told {
				// The document shows it a little before it is reported.
				sessiontest.Eventually(t, "an undone edit is reported", func() bool { return f.d.Overwritten() != "" })
			}
		}
		f.stillFollows("after")
	})
}

// An edit that the other program's file also has is not reported as undone, nor as possibly lost at the end of the session
// (jupyterlab 18100).
func TestNothingIsSaidOfWhatTheFileHas(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		f := newFileChange(t, jupytertest.Shared(t))
		f.stillFollows("before")
		was := f.read()
		for n := 2; n < 12 && f.source(1) != "theirs = True"; n++ { // or the server has written ours over it
			f.serverLooks()
			mine := fmt.Sprint("x = ", n)
			must.NoError(t, f.d.Edit(t.Context(), "set", func(e *ydoc.Editor) error {
				c, _ := e.CellAt(0)
				return e.SetSource(c.ID, mine)
			}))
			f.write(f.full, strings.NewReplacer("x = 1", mine, "before = True", "theirs = True").Replace(was))
			f.serverLooks()
			test.Eq(t, mine, f.source(0))
		}
		must.Eq(t, "theirs = True", f.source(1))
		test.Eq(t, "", f.d.Overwritten())
		info, _, err := f.m.End(t.Context(), jupyter.MustPath(f.path))
		must.NoError(t, err)
		test.Eq(t, "", info.Lost)
	})
}

// fileChange is an open notebook in a separate folder.
type fileChange struct {
	t    *testing.T
	s    *jupytertest.Server
	m    *session.Manager
	d    *session.Document
	path string
	full string
}

func newFileChange(t *testing.T, s *jupytertest.Server) *fileChange {
	flat := s.Notebook(t, "x = 1")
	path := s.Name(t, "-dir") + "/a.ipynb"
	f := &fileChange{t: t, s: s, path: path, full: filepath.Join(s.Root, filepath.FromSlash(path))}
	if err := os.Mkdir(filepath.Dir(f.full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.Root, flat), f.full); err != nil {
		t.Fatal(err)
	}
	f.m = sessiontest.Manager(t, s, session.Config{})
	f.d = sessiontest.Open(t, f.m, path)
	return f
}

// read reads the file, which the server writes in place: it may be half written.
func (f *fileChange) read() string {
	f.t.Helper()
	var b []byte
	sessiontest.Eventually(f.t, "a whole file", func() bool {
		var err error
		if b, err = os.ReadFile(f.full); err != nil {
			f.t.Fatal(err)
		}
		return json.Valid(b)
	})
	return string(b)
}

// serverLooks returns when the server has checked the files of its rooms, which it does once a second. It may hang for
// longer than that, so it must answer during the whole wait.
func (f *fileChange) serverLooks() {
	f.t.Helper()
	for range 25 {
		time.Sleep(100 * time.Millisecond)
		if _, err := f.m.Servers().Documents.Contents.Get(f.t.Context(), jupyter.MustPath(f.path), jupyter.ContentsOptions{}); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *fileChange) write(file, content string) {
	f.t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// put writes the notebook over REST.
func (f *fileChange) put(content string) {
	f.t.Helper()
	if _, err := f.m.Servers().Documents.Contents.Put(f.t.Context(), jupyter.MustPath(f.path), jupyter.NewContent{Type: "notebook", Format: "json", Content: json.RawMessage(content)}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fileChange) giveBack(from, to string) {
	f.t.Helper()
	if err := os.Rename(from, to); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fileChange) source(i int) string {
	c, _ := f.d.Notebook().CellAt(i)
	return c.Source
}

// stillFollows makes an edit, and waits until it is in the file and Unsaved is empty.
func (f *fileChange) stillFollows(name string) {
	f.t.Helper()
	sessiontest.AppendCell(f.t, f.d, name+" = True")
	sessiontest.Eventually(f.t, "the file has the edit "+name, func() bool { return sessiontest.FileHas(f.s, f.path, name+" = True") })
	sessiontest.Eventually(f.t, "nothing is unsaved after "+name, func() bool { return f.d.Unsaved() == "" })
}

// has checks the content of the file and the document.
func (f *fileChange) has(parts ...string) {
	f.t.Helper()
	var all strings.Builder
	for _, c := range f.d.Notebook().Cells() {
		all.WriteString(c.Source + "\n")
	}
	for _, p := range parts {
		if !strings.Contains(all.String(), p) {
			f.t.Errorf("the document lacks %q:\n%s", p, all.String())
		}
		// Another save may be writing it.
		sessiontest.Eventually(f.t, "the file has "+p, func() bool { return sessiontest.FileHas(f.s, f.path, p) })
	}
}

// isUnsaved waits until the document, and its entry in lists, report that edits are not written.
func (f *fileChange) isUnsaved(why string) {
	f.t.Helper()
	sessiontest.Eventually(f.t, "it is said to be unsaved", func() bool { return strings.Contains(f.d.Unsaved(), why) })
	infos := f.m.Sessions(jupyter.Path{})
	must.SliceLen(f.t, 1, infos, must.Sprint("the list of sessions"))
	test.StrContains(f.t, infos[0].Unsaved, why, test.Sprint("the list of sessions"))
}
