package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// ErrExists is matched by the error of making something where there is
// something already.
var ErrExists = errors.New("there is something at that path already")

// ErrNoFolder is matched by the error of making something in a folder that is
// not there.
var ErrNoFolder = errors.New("no such folder")

// ErrFolder is matched by the error of doing to a folder what can be done to
// files only.
var ErrFolder = errors.New("it is a folder")

// ErrOtherKind is matched by the error of a name that would make another kind
// of document out of a file.
var ErrOtherKind = errors.New("another kind of document")

// followTimeout bounds how long an open document may take to follow its file
// after a rename; the server looks once a second.
const followTimeout = 10 * time.Second

// Create makes a new file. The Contents API overwrites without a question, so
// the content goes to a name of its own first, which is then renamed: that the
// server refuses where there is a file. The error matches ErrExists or
// ErrNoFolder where the path cannot be taken.
func (m *Manager) Create(ctx context.Context, to string, c jupyter.NewContent) (jupyter.Content, error) {
	to, err := jupyter.CleanPath(to)
	if err != nil {
		return jupyter.Content{}, err
	}
	if err := m.vacant(ctx, to); err != nil {
		return jupyter.Content{}, err
	}
	temp := path.Join(path.Dir(to), "nbduet-"+randomName()+path.Ext(to))
	if _, err := m.cfg.Server.PutContents(ctx, temp, c); err != nil {
		return jupyter.Content{}, fmt.Errorf("create %s: %w", to, err)
	}
	return m.settle(ctx, temp, to)
}

func randomName() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// vacant says why nothing can be made at a path.
func (m *Manager) vacant(ctx context.Context, to string) error {
	dir := parent(to)
	switch c, err := m.cfg.Server.Contents(ctx, dir, jupyter.ContentsOptions{}); {
	case errors.Is(err, jupyter.ErrNotFound):
		return fmt.Errorf("create %s: %w: %q", to, ErrNoFolder, dir)
	case err != nil:
		return err
	case c.Type != "directory":
		return fmt.Errorf("create %s: %w: %q is a %s", to, ErrNoFolder, dir, c.Type)
	}
	switch c, err := m.cfg.Server.Contents(ctx, to, jupyter.ContentsOptions{}); {
	case err == nil:
		return fmt.Errorf("create %s: %w: a %s", to, ErrExists, c.Type)
	case !errors.Is(err, jupyter.ErrNotFound):
		return err
	}
	return nil
}

// parent is the folder that a path is in, "" for the root.
func parent(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// name renames what is at a path, which the server refuses where there is
// something at the new one. It looks before it moves, and so two that come at
// the same time may both succeed: here they come one after the other.
func (m *Manager) name(ctx context.Context, from, to string) (jupyter.Content, error) {
	select {
	case m.naming <- struct{}{}:
		defer func() { <-m.naming }()
	case <-ctx.Done():
		return jupyter.Content{}, fmt.Errorf("rename %s: %w", from, ctx.Err())
	}
	return m.cfg.Server.RenameContents(ctx, from, to)
}

// settle gives a file that was made under a name of its own its real name, or
// takes it away again.
func (m *Manager) settle(ctx context.Context, temp, to string) (jupyter.Content, error) {
	c, err := m.name(ctx, temp, to)
	if err == nil {
		return c, nil
	}
	// Also where the caller has gone.
	clean, stop := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer stop()
	if gone := m.cfg.Server.DeleteContents(clean, temp); gone != nil {
		m.log.Warn("a file that was made in passing was left behind", "path", temp, "error", gone)
	}
	if errors.Is(err, jupyter.ErrConflict) {
		return c, fmt.Errorf("create %s: %w", to, ErrExists)
	}
	return c, fmt.Errorf("create %s: %w", to, err)
}

// Copy makes a copy of a file with all that is in its room, saved or not. What
// is open is not saved for it, and nothing that exists is overwritten. The
// error matches ErrFolder, ErrExists, ErrNoFolder or ErrOtherKind where it
// cannot be.
func (m *Manager) Copy(ctx context.Context, from, to string) (jupyter.Content, error) {
	to, err := jupyter.CleanPath(to)
	if err != nil {
		return jupyter.Content{}, err
	}
	c, err := m.cfg.Server.Contents(ctx, from, jupyter.ContentsOptions{})
	switch {
	case err != nil:
		return c, err
	case c.Type == "directory":
		return c, fmt.Errorf("copy %s: %w", c.Path, ErrFolder)
	case c.Type != "notebook" && notebookName(to):
		return c, fmt.Errorf("copy %s to %s: %w: only a notebook can have a name that ends in .ipynb", c.Path, to, ErrOtherKind)
	}
	if err := m.vacant(ctx, to); err != nil {
		return c, err
	}
	fresh, err := m.ahead(ctx, c)
	if err != nil {
		return c, fmt.Errorf("copy %s: %w", c.Path, err)
	}
	if fresh != nil && (c.Type == "notebook") == notebookName(to) {
		return m.Create(ctx, to, *fresh)
	}
	var copied jupyter.Content
	if err := whole(ctx, func() (err error) {
		copied, err = m.cfg.Server.CopyContents(ctx, c.Path, parent(to))
		return err
	}); err != nil {
		return c, err
	}
	return m.settle(ctx, copied.Path, to)
}

func notebookName(p string) bool { return strings.HasSuffix(p, ".ipynb") }

// Deleted is what was deleted, and who had it open then.
type Deleted struct {
	Path   string
	Type   string // as in the Contents API
	People []Person
}

// Delete deletes a file, or a folder in which there is nothing. Our own session
// of it ends first, so that nothing of ours is written afterwards; of others who
// have it open only those are known whom we have met in its room. Their room
// stays, without a file: the server has dropped the id by which it would write
// it, so the file does not come back.
func (m *Manager) Delete(ctx context.Context, p string) (Deleted, error) {
	c, err := m.cfg.Server.Contents(ctx, p, jupyter.ContentsOptions{})
	if err != nil {
		return Deleted{}, err
	}
	out := Deleted{Path: c.Path, Type: c.Type}
	if c.Type == "directory" {
		if err := m.empty(ctx, c.Path); err != nil {
			return out, err
		}
	} else if out.People, err = m.letGo(ctx, c.Path); err != nil {
		return out, fmt.Errorf("delete %s: %w", c.Path, err)
	}
	if err := m.cfg.Server.DeleteContents(ctx, c.Path); err != nil {
		return out, err
	}
	return out, nil
}

// empty refuses a folder in which the server shows anything.
func (m *Manager) empty(ctx context.Context, folder string) error {
	c, err := m.cfg.Server.Contents(ctx, folder, jupyter.ContentsOptions{Content: true, Type: "directory"})
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

// letGo ends our session of a document that is about to go, and tells who else
// is in its room.
func (m *Manager) letGo(ctx context.Context, p string) ([]Person, error) {
	var people []Person
	if d := m.hold(p); d != nil {
		people = d.People()
		d.Release()
	}
	_, _, err := m.End(ctx, p)
	if unsaved := (*UnsavedError)(nil); errors.As(err, &unsaved) {
		err = nil // it is to be deleted
	}
	return people, err
}

// hold pins the document that is open at a path; nil where none is.
func (m *Manager) hold(p string) *Document {
	entries := m.holdUnder(func(open string) bool { return open == p })
	if len(entries) == 0 {
		return nil
	}
	return entries[0].doc
}

// holdUnder pins the open documents of which the path is wanted, and returns
// their entries.
func (m *Manager) holdUnder(wanted func(string) bool) []*entry {
	m.mu.Lock()
	var entries []*entry
	for p, e := range m.open {
		if e.doc != nil && wanted(p) {
			entries = append(entries, e)
		}
	}
	m.mu.Unlock()
	return slices.DeleteFunc(entries, func(e *entry) bool { return !m.pin(e) })
}
