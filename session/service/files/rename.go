package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
)

// Renamed is the result of a rename.
type Renamed struct {
	From, To jupyter.Path // as the server writes them
	Type     string       // as in the Contents API
	// Lost are the old paths of our open documents that did not follow. Their sessions were ended.
	Lost []string
}

// Rename moves a file or a folder to a path that must be free. A room follows its file: the people in it continue as
// before, and so does our own document. Kernels follow too. The error matches ErrExists, ErrNoFolder or ErrOtherKind if the
// rename is refused.
func (f *Files) Rename(ctx context.Context, from, to jupyter.Path) (Renamed, error) {
	c, err := f.srv.Contents.Get(ctx, from, jupyter.ContentsOptions{})
	if err != nil {
		return Renamed{}, err
	}
	out := Renamed{From: c.Path, To: to, Type: c.Type}
	folder := c.Type == "directory"
	switch {
	case folder && to.Under(c.Path):
		return out, fmt.Errorf("rename %s: %w: %q is in it or is itself", c.Path, ErrFolder, to)
	case !folder && (c.Type == "notebook") != notebookName(to):
		// Its room would keep its kind, and the next to open the file would make a room of the other kind: the two would
		// overwrite each other.
		return out, fmt.Errorf("rename %s to %s: %w: a notebook's name ends in .ipynb, and no other file's does", c.Path, to, ErrOtherKind)
	}
	if err := f.vacant(ctx, to); err != nil {
		return out, err
	}
	if folder {
		f.index(ctx, c.Path)
	}
	open := f.m.HoldUnder(func(p jupyter.Path) bool { return p.Under(c.Path) })
	defer func() {
		for _, d := range open {
			d.Release()
		}
	}()
	if err := f.renameSaved(ctx, open, c.Path, to); err != nil {
		if errors.Is(err, jupyter.ErrConflict) {
			return out, fmt.Errorf("rename %s: %w: %q", c.Path, ErrExists, to)
		}
		return out, err
	}
	f.m.Memory().Move(c.Path, to)
	// The rest is done even if the call has ended.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), followTimeout)
	defer stop()
	for _, err := range f.m.Servers().Move(ctx, c.Path, to) {
		f.m.Log().Warn("a kernel's session was not renamed", "path", to, "error", err)
	}
	for _, d := range open {
		if d.Follows(ctx, c.Path) {
			continue
		}
		out.Lost = append(out.Lost, d.Path().String())
		d.Drop("its file was renamed, and the room did not follow")
	}
	return out, nil
}

// renameSaved saves the open documents before the rename, and blocks further saves until it is done: a save during the
// rename could look like another program's write, or create a file at the old path again.
func (f *Files) renameSaved(ctx context.Context, open []*session.Document, from, to jupyter.Path) error {
	// In a fixed order, so that two renames cannot deadlock.
	slices.SortFunc(open, func(a, b *session.Document) int { return strings.Compare(a.FileID(), b.FileID()) })
	for _, d := range open {
		release, err := d.SaveAndHold(ctx)
		if err != nil {
			return err
		}
		defer release()
	}
	_, err := f.name(ctx, from, to)
	return err
}

// index makes the server give a folder an id. When the folder is renamed, the ids of its files, and with them the
// rooms, follow only if the folder has an id (jupyter_server_fileid manager.py, ArbitraryFileIdManager.move).
func (f *Files) index(ctx context.Context, folder jupyter.Path) {
	if _, err := f.srv.Rooms.Session(ctx, folder, "text", "file"); err != nil {
		f.m.Log().Debug("a folder to be renamed was not indexed", "path", folder, "error", err)
	}
}
