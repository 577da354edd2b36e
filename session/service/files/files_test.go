package files_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// insertText puts s before everything in a text document.
func insertText(t *testing.T, d *session.Document, s string) {
	t.Helper()
	if err := d.EditText(t.Context(), "insert", func(e *ydoc.TextEditor) error { return e.Replace(0, 0, s) }); err != nil {
		t.Fatal(err)
	}
}

func textFile(s string) jupyter.NewContent {
	return jupyter.NewContent{Type: "file", Format: "text", Content: s}
}

// entries returns the names of the content of a folder on disk.
func entries(t *testing.T, s *jupytertest.Server, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(s.Root, filepath.FromSlash(dir)))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), ".") { // checkpoints
			names = append(names, e.Name())
		}
	}
	return names
}

// A new file has the given content, is only created at a free path, and leaves no temporary files.
func TestCreateFile(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		f := files.New(m)
		dir := sessiontest.Folder(t, s, m)
		if _, err := f.Create(t.Context(), jupyter.MustPath("/"+dir+"/a b#1.md"), textFile("# 😀\n")); err != nil {
			t.Fatal(err)
		}
		if got := s.Read(t, dir+"/a b#1.md"); got != "# 😀\n" {
			t.Errorf("it holds %q", got)
		}
		if _, err := f.Create(t.Context(), jupyter.MustPath(dir+"/a b#1.md"), textFile("other")); !errors.Is(err, files.ErrExists) {
			t.Errorf("made again: %v", err)
		}
		if _, err := f.Create(t.Context(), jupyter.MustPath(dir), textFile("other")); !errors.Is(err, files.ErrExists) {
			t.Errorf("made in a folder's place: %v", err)
		}
		if _, err := f.Create(t.Context(), jupyter.MustPath(dir+"/no/x.md"), textFile("other")); !errors.Is(err, files.ErrNoFolder) {
			t.Errorf("made in a folder that is not there: %v", err)
		}
		if _, err := f.Create(t.Context(), jupyter.MustPath(dir+"/a b#1.md/x.md"), textFile("other")); !errors.Is(err, files.ErrNoFolder) {
			t.Errorf("made in a file: %v", err)
		}
		got := entries(t, s, dir)
		test.SliceEqOp(t, []string{"a b#1.md"}, got)
		test.Eq(t, "# 😀\n", s.Read(t, dir+"/a b#1.md"))
	})
}

// If many create the same file at the same time, one succeeds, and the file has its content.
func TestCreateOnce(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		f := files.New(m)
		dir := sessiontest.Folder(t, s, m)
		const many = 6
		errs := make(chan error, many)
		for i := range many {
			go func() {
				_, err := f.Create(t.Context(), jupyter.MustPath(dir+"/x.txt"), textFile(strings.Repeat("x", i+1)))
				if err == nil {
					err = errors.New(strings.Repeat("x", i+1))
				}
				errs <- err
			}()
		}
		made := []string{}
		for range many {
			if err := <-errs; !errors.Is(err, files.ErrExists) {
				made = append(made, err.Error())
			}
		}
		must.SliceLen(t, 1, made)
		test.Eq(t, made[0], s.Read(t, dir+"/x.txt"))
		if got := entries(t, s, dir); len(got) != 1 {
			t.Errorf("left behind: %q", got)
		}
	})
}

// A copy has the room's content that is not yet in the file; the original is not saved for it.
func TestCopyHasTheLatestEdits(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{AgentName: "Two"})
		f := files.New(m)
		dir := sessiontest.Folder(t, s, m)
		md := s.Write(t, dir+"/a.md", "one\r\ntwo\n")
		nb := s.Write(t, dir+"/a.ipynb", s.Read(t, s.Notebook(t, "x = 1", "y = 2")))
		png := s.Write(t, dir+"/a.png", "\x89PNG\r\n\x1a\n\x00binary\xff")
		copyTo := func(from, to string) {
			t.Helper()
			if _, err := f.Copy(t.Context(), jupyter.MustPath("/"+from), jupyter.MustPath("/"+to)); err != nil {
				t.Fatal(err)
			}
		}
		for _, from := range []string{md, nb, png} {
			before, err := os.Stat(filepath.Join(s.Root, from))
			if err != nil {
				t.Fatal(err)
			}
			to := strings.Replace(from, "/a.", "/same.", 1)
			copyTo(from, to)
			if !reflect.DeepEqual(content(t, m, to), content(t, m, from)) {
				t.Errorf("the copy of %s is %q", from, s.Read(t, to))
			}
			after, err := os.Stat(filepath.Join(s.Root, from))
			must.NoError(t, err, must.Sprint(from))
			test.True(t, after.ModTime().Equal(before.ModTime()), test.Sprint(from))
		}
		// Another client edits, and the copy is made at once.
		insertText(t, sessiontest.OpenText(t, other, md), "zero 😀\n")
		copyTo(md, dir+"/fresh.md")
		if got := s.Read(t, dir+"/fresh.md"); got != "zero 😀\none\ntwo\n" {
			t.Errorf("the copy is %q", got)
		}
		sessiontest.AppendCell(t, sessiontest.Open(t, other, nb), "fresh = '😀'")
		copyTo(nb, dir+"/fresh.ipynb")
		var book struct {
			Cells []struct {
				ID     string
				Source []string
			}
			Metadata map[string]any
		}
		if err := json.Unmarshal([]byte(s.Read(t, dir+"/fresh.ipynb")), &book); err != nil {
			t.Fatal(err)
		}
		must.SliceLen(t, 3, book.Cells)
		test.Eq(t, "c0", book.Cells[0].ID)
		test.Eq(t, "fresh = '😀'", strings.Join(book.Cells[2].Source, ""))
		test.NotNil(t, book.Metadata["kernelspec"])
		for to, want := range map[string]error{
			dir + "/a.md":    files.ErrExists,
			dir + "/no/a.md": files.ErrNoFolder,
			dir + "/b.ipynb": files.ErrOtherKind,
		} {
			if _, err := f.Copy(t.Context(), jupyter.MustPath(md), jupyter.MustPath(to)); !errors.Is(err, want) {
				t.Errorf("copied to %s: %v, want %v", to, err, want)
			}
		}
		if _, err := f.Copy(t.Context(), jupyter.MustPath(dir), jupyter.MustPath(dir+"2")); !errors.Is(err, files.ErrFolder) {
			t.Errorf("copied a folder: %v", err)
		}
		if got := entries(t, s, dir); slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "-Copy") || strings.HasPrefix(n, "nbduet") }) {
			t.Errorf("left behind: %q", got)
		}
	})
}

// content returns a file's content from the server; it writes notebooks in its own layout.
func content(t *testing.T, m *session.Manager, path string) (v any) {
	t.Helper()
	c, err := m.Servers().Documents.Contents.Get(t.Context(), jupyter.MustPath(path), jupyter.ContentsOptions{Content: true})
	if err == nil {
		err = json.Unmarshal(c.Content, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Rooms follow their files, ours and those of other clients, also when a folder is renamed.
func TestRenameIsFollowed(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{AgentName: "Two"})
		f := files.New(m)
		dir := sessiontest.Folder(t, s, m)
		md := s.Write(t, dir+"/a.md", "text\n")
		nb := s.Write(t, dir+"/a.ipynb", s.Read(t, s.Notebook(t, "x = 1")))
		alone := s.Write(t, dir+"/theirs.md", "theirs\n")
		d, b, theirs := sessiontest.OpenText(t, m, md), sessiontest.Open(t, m, nb), sessiontest.OpenText(t, other, alone)

		if _, err := f.Rename(t.Context(), jupyter.MustPath(md), jupyter.MustPath(dir+"/b 😀.md")); err != nil {
			t.Fatal(err)
		}
		if d.Path().String() != dir+"/b 😀.md" {
			t.Errorf("after the rename our document is at %s", d.Path())
		}
		if again := sessiontest.OpenText(t, m, dir+"/b 😀.md"); again != d {
			t.Error("the new path opens another document")
		}
		to := dir + "-moved"
		moved, err := f.Rename(t.Context(), jupyter.MustPath("/"+dir), jupyter.MustPath("/"+to))
		if err != nil {
			t.Fatal(err)
		}
		must.LessEq(t, 0, len(moved.Lost), must.Sprint("after the folder's rename"))
		test.Eq(t, to+"/b 😀.md", d.Path().String(), test.Sprint("after the folder's rename"))
		test.Eq(t, to+"/a.ipynb", b.Path().String(), test.Sprint("after the folder's rename"))
		insertText(t, d, "ours\n")
		sessiontest.AppendCell(t, b, "ours = True")
		insertText(t, theirs, "more of ")
		sessiontest.Eventually(t, "all that is written is in the new files", func() bool {
			return sessiontest.FileHas(s, to+"/b 😀.md", "ours\ntext\n") && sessiontest.FileHas(s, to+"/a.ipynb", "ours = True") && sessiontest.FileHas(s, to+"/theirs.md", "more of theirs")
		})
		if _, err := os.Stat(filepath.Join(s.Root, dir)); !os.IsNotExist(err) {
			t.Errorf("the old folder is there again: %v", err)
		}
		for to, want := range map[string]error{
			to + "/a.ipynb":   files.ErrOtherKind,
			to + "/theirs.md": files.ErrExists,
			to + "/no/a.md":   files.ErrNoFolder,
		} {
			if _, err := f.Rename(t.Context(), d.Path(), jupyter.MustPath(to)); !errors.Is(err, want) {
				t.Errorf("renamed to %s: %v, want %v", to, err, want)
			}
		}
		if _, err := f.Rename(t.Context(), jupyter.MustPath(to), jupyter.MustPath(to+"/in")); !errors.Is(err, files.ErrFolder) {
			t.Errorf("renamed into itself: %v", err)
		}
		if _, err := f.Rename(t.Context(), jupyter.MustPath(dir), jupyter.MustPath(dir+"2")); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("renamed what is gone: %v", err)
		}
	})
}

// A document that is closed right after its file was renamed, before the room knows the new path, is saved at the new path.
func TestLeftRightAfterARename(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{AgentName: "Two"})
		path, to := s.Write(t, s.Name(t, "-a.md"), "text\n"), s.Name(t, "-b.md")
		d := sessiontest.OpenText(t, other, path)
		// The client that edited before the rename saves, and leaves: a save during the rename is another case.
		guest := sessiontest.Manager(t, s, session.Config{AgentName: "guest"})
		insertText(t, sessiontest.OpenText(t, guest, path), "one ")
		if err := guest.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		sessiontest.Eventually(t, "the edit is here", func() bool { return d.Text().String() == "one text\n" })
		if _, err := m.Servers().Documents.Contents.Rename(t.Context(), jupyter.MustPath(path), jupyter.MustPath(to)); err != nil {
			t.Fatal(err)
		}
		insertText(t, d, "two ")
		if err := other.Close(t.Context()); err != nil {
			t.Errorf("left with %v", err)
		}
		test.True(t, sessiontest.FileHas(s, to, "two one text"), test.Sprint("the new file does not have what was written, or the old one is there again"))
		test.False(t, sessiontest.FileHas(s, path, "text"), test.Sprint("the new file does not have what was written, or the old one is there again"))
	})
}

// A kernel follows a notebook that is not open.
func TestRenameTakesTheKernelAlong(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m := sessiontest.Manager(t, s, session.Config{})
		f := files.New(m)
		path, to := s.Notebook(t, "1"), s.Name(t, "-to.ipynb")
		made, err := m.Servers().Documents.Sessions.Create(t.Context(), jupyter.NewSession{Path: jupyter.MustPath(path), Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := m.Servers().Documents.Kernels.Shutdown(t.Context(), made.Kernel.ID); err != nil {
				t.Error(err)
			}
		}()
		if _, err := f.Rename(t.Context(), jupyter.MustPath(path), jupyter.MustPath(to)); err != nil {
			t.Fatal(err)
		}
		sessions, err := m.Servers().Documents.Sessions.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(sessions, func(now jupyter.Session) bool {
			return now.ID == made.ID && now.Path.String() == to && now.Kernel.ID == made.Kernel.ID
		}) {
			t.Errorf("its session is not in %+v", sessions)
		}
	})
}

// A deleted file does not come back, despite edits in its room, which others still have open, and a new file of that name
// is a different one.
func TestDeletedFileStaysDeleted(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		m, other := sessiontest.Manager(t, s, session.Config{}), sessiontest.Manager(t, s, session.Config{AgentName: "Two"})
		f := files.New(m)
		dir := sessiontest.Folder(t, s, m)
		path := s.Write(t, dir+"/a.md", "text\n")
		d, err := m.OpenText(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		theirs := sessiontest.OpenText(t, other, path)
		sessiontest.Eventually(t, "we know each other", func() bool { return len(d.People()) > 0 })
		if _, err := f.Delete(t.Context(), jupyter.MustPath(dir)); !errors.Is(err, files.ErrFolder) {
			t.Errorf("deleted a folder with a file in it: %v", err)
		}
		insertText(t, d, "not yet saved ")
		d.Release()
		gone, err := f.Delete(t.Context(), jupyter.MustPath("/"+path))
		if err != nil {
			t.Fatal(err)
		}
		test.Eq(t, path, gone.Path.String())
		must.SliceLen(t, 1, gone.People)
		test.Eq(t, "Two", gone.People[0].Name)
		if m.IsOpen(jupyter.MustPath(path)) {
			t.Error("it is still open here")
		}
		insertText(t, theirs, "typed by somebody who does not know ")
		sessiontest.Eventually(t, "the other is told that it is not saved", func() bool { return strings.Contains(theirs.Unsaved(), "deleted") })
		time.Sleep(2 * time.Second) // the server's autosave would have come
		if got := entries(t, s, dir); len(got) != 0 {
			t.Fatalf("it is back: %q", got)
		}
		if _, err := f.Create(t.Context(), jupyter.MustPath(path), textFile("new\n")); err != nil {
			t.Fatal(err)
		}
		insertText(t, theirs, "again ")
		if got := sessiontest.OpenText(t, m, path).Text().String(); got != "new\n" {
			t.Errorf("the new file reads %q", got)
		}
		if _, _, err := other.End(t.Context(), jupyter.MustPath(path)); err == nil { // it requests a save
			t.Error("the other's session ended as if its text was saved")
		}
		time.Sleep(time.Second)
		if got := s.Read(t, path); got != "new\n" {
			t.Errorf("the new file holds %q", got)
		}
		if _, err := f.Delete(t.Context(), jupyter.MustPath(path+"x")); !errors.Is(err, jupyter.ErrNotFound) {
			t.Errorf("deleted what is not there: %v", err)
		}
		if _, err := f.Delete(t.Context(), jupyter.MustPath(path)); err != nil {
			t.Error(err)
		}
		if _, err := f.Delete(t.Context(), jupyter.MustPath(dir)); err != nil {
			t.Errorf("an empty folder: %v", err)
		}
	})
}
