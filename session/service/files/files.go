package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/document/refusedrooms"
	"github.com/nbduet/nbduet/session/textfmt"
)

// ErrExists is matched by the error of creating something at a path that is taken.
var ErrExists = textfmt.Fixed("the path already exists")

// ErrNoFolder is matched by the error of creating something in a folder that does not exist.
var ErrNoFolder = textfmt.Fixed("no such folder")

// ErrFolder is matched by the error of an operation that works on files only.
var ErrFolder = textfmt.Fixed("it is a folder")

// ErrOtherKind is matched by the error of a name that would change the kind of a document.
var ErrOtherKind = textfmt.Fixed("another kind of document")

// leaveTimeout bounds the deletion of a temporary file.
const leaveTimeout = 4 * time.Second

// followTimeout bounds the wait for an open document to follow its renamed file; the server checks once a second.
const followTimeout = 10 * time.Second

// Files creates, copies, renames and deletes files on the document server. Create it with [New].
type Files struct {
	m      *session.Manager
	srv    *jupyter.Server
	naming chan struct{} // semaphore of one: held while a file is renamed
}

// New returns the files of a manager's server.
func New(m *session.Manager) *Files {
	return &Files{m: m, srv: m.Servers().Documents, naming: make(chan struct{}, 1)}
}

// Create makes a new file. The Contents API overwrites without asking, so Create writes a temporary file and renames
// it: the server refuses that if the new path is taken. The error matches ErrExists or ErrNoFolder.
func (f *Files) Create(ctx context.Context, to jupyter.Path, c jupyter.NewContent) (jupyter.Content, error) {
	if err := f.vacant(ctx, to); err != nil {
		return jupyter.Content{}, err
	}
	temp := to.Folder().Join("nbduet-" + strings.ToLower(rand.Text()[:12]) + to.Ext())
	if _, err := f.srv.Contents.Put(ctx, temp, c); err != nil {
		return jupyter.Content{}, fmt.Errorf("create %s: %w", to, err)
	}
	return f.publish(ctx, temp, to)
}

// vacant returns an error if nothing can be created at a path.
func (f *Files) vacant(ctx context.Context, to jupyter.Path) error {
	dir := to.Folder()
	switch c, err := f.srv.Contents.Get(ctx, dir, jupyter.ContentsOptions{}); {
	case errors.Is(err, jupyter.ErrNotFound):
		return fmt.Errorf("create %s: %w: %q", to, ErrNoFolder, dir)
	case err != nil:
		return err
	case c.Type != "directory":
		return fmt.Errorf("create %s: %w: %q is a %s", to, ErrNoFolder, dir, c.Type)
	}
	switch c, err := f.srv.Contents.Get(ctx, to, jupyter.ContentsOptions{}); {
	case err == nil:
		return fmt.Errorf("create %s: %w: a %s", to, ErrExists, c.Type)
	case !errors.Is(err, jupyter.ErrNotFound):
		return err
	}
	return nil
}

// name renames a file; the server refuses that if the new path is taken. The server checks and then moves, so two
// concurrent renames might both succeed: here they are serialized.
func (f *Files) name(ctx context.Context, from, to jupyter.Path) (jupyter.Content, error) {
	select {
	case f.naming <- struct{}{}:
		defer func() { <-f.naming }()
	case <-ctx.Done():
		return jupyter.Content{}, fmt.Errorf("rename %s: %w", from, ctx.Err())
	}
	return f.srv.Contents.Rename(ctx, from, to)
}

// publish gives a temporary file its real name, or deletes it.
func (f *Files) publish(ctx context.Context, temp, to jupyter.Path) (jupyter.Content, error) {
	c, err := f.name(ctx, temp, to)
	if err == nil {
		return c, nil
	}
	f.discard(ctx, temp)
	if errors.Is(err, jupyter.ErrConflict) {
		return c, fmt.Errorf("create %s: %w", to, ErrExists)
	}
	return c, fmt.Errorf("create %s: %w", to, err)
}

// room opens the document of a file, which the caller releases; nil for a file without a room, such as an image.
func (f *Files) room(ctx context.Context, c jupyter.Content) (*session.Document, error) {
	open := f.m.OpenText
	if c.Type == "notebook" {
		open = f.m.Open
	}
	d, err := open(ctx, c.Path)
	if errors.Is(err, session.ErrNotText) || errors.Is(err, jupyter.ErrNoCollaboration) || refusedrooms.Is(err) {
		return nil, nil
	}
	return d, err
}

func notebookName(p jupyter.Path) bool { return strings.HasSuffix(p.Name(), ".ipynb") }

// discard deletes a temporary file, even if the call has ended.
func (f *Files) discard(ctx context.Context, temp jupyter.Path) {
	clean, stop := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer stop()
	if gone := f.srv.Contents.Delete(clean, temp); gone != nil {
		f.m.Log().Warn("a temporary file could not be deleted", "path", temp, "error", gone)
	}
}

// Deleted describes a deleted file, and the people who had it open.
type Deleted struct {
	Path   jupyter.Path
	Type   string // as in the Contents API
	People []session.Person
}

// Delete deletes a file or an empty folder. It ends our own session of the file first, so that we write nothing afterwards.
// It returns only the people whom we have met in its room. Their room continues without a file: the server has dropped the
// file id by which it would write, so the file does not come back.
func (f *Files) Delete(ctx context.Context, p jupyter.Path) (Deleted, error) {
	c, err := f.srv.Contents.Get(ctx, p, jupyter.ContentsOptions{})
	if err != nil {
		return Deleted{}, err
	}
	out := Deleted{Path: c.Path, Type: c.Type}
	if c.Type == "directory" {
		if err := f.empty(ctx, c.Path); err != nil {
			return out, err
		}
	} else if out.People, err = f.closeOurs(ctx, c.Path); err != nil {
		return out, fmt.Errorf("delete %s: %w", c.Path, err)
	}
	return out, f.srv.Contents.Delete(ctx, c.Path)
}

// empty returns an error for a folder in which the server lists entries.
func (f *Files) empty(ctx context.Context, folder jupyter.Path) error {
	c, err := f.srv.Contents.Get(ctx, folder, jupyter.ContentsOptions{Content: true, Type: "directory"})
	if err != nil {
		return err
	}
	list, err := c.Entries()
	if err != nil {
		return err
	}
	if len(list) > 0 {
		return fmt.Errorf("delete %s: %w that is not empty: %d files and folders are in it, %q among them", folder, ErrFolder, len(list), list[0].Name)
	}
	return nil
}

// closeOurs ends our session of a document before its deletion, and returns the other people in its room.
func (f *Files) closeOurs(ctx context.Context, p jupyter.Path) ([]session.Person, error) {
	var people []session.Person
	for _, d := range f.m.HoldUnder(func(open jupyter.Path) bool { return open == p }) {
		people = d.People()
		d.Release()
	}
	_, _, err := f.m.End(ctx, p)
	if unsaved := (*filesync.UnsavedError)(nil); errors.As(err, &unsaved) {
		err = nil // it is deleted anyway
	}
	return people, err
}
