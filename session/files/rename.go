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

// Renamed is what a rename did.
type Renamed struct {
	From, To string // as the server has them
	Type     string // as in the Contents API
	// Lost are documents of ours that did not follow, by their old path. Their sessions were ended.
	Lost []string
}

// Rename moves a file or a folder to another path, where there must be nothing. A room follows its file: the people in
// it go on as before, and so does our own document. Kernels go along too. The error matches ErrExists, ErrNoFolder or
// ErrOtherKind where it cannot be.
func (f *Files) Rename(ctx context.Context, from, to string) (Renamed, error) {
	to, err := jupyter.CleanPath(to)
	if err != nil {
		return Renamed{}, err
	}
	c, err := f.srv.Contents(ctx, from, jupyter.ContentsOptions{})
	if err != nil {
		return Renamed{}, err
	}
	out := Renamed{From: c.Path, To: to, Type: c.Type}
	folder := c.Type == "directory"
	switch {
	case folder && jupyter.Under(to, c.Path):
		return out, fmt.Errorf("rename %s: %w: %q is in it or is itself", c.Path, ErrFolder, to)
	case !folder && (c.Type == "notebook") != notebookName(to):
		// Its room would be of the one kind, and the next to open it would make another of the other, which write over
		// each other.
		return out, fmt.Errorf("rename %s to %s: %w: a notebook's name ends in .ipynb, and no other file's does", c.Path, to, ErrOtherKind)
	}
	if err := f.vacant(ctx, to); err != nil {
		return out, err
	}
	if folder {
		f.index(ctx, c.Path)
	}
	open := f.m.HoldUnder(func(p string) bool { return jupyter.Under(p, c.Path) })
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
	// What follows is to be done also where the caller has gone.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), followTimeout)
	defer stop()
	for _, err := range f.m.Servers().Move(ctx, c.Path, to) {
		f.m.Log().Warn("a kernel was not taken along", "path", to, "error", err)
	}
	for _, d := range open {
		if d.Follows(ctx, c.Path) {
			continue
		}
		out.Lost = append(out.Lost, d.Path())
		d.Drop("its file was renamed, and the room did not follow")
	}
	return out, nil
}

// renameSaved saves the open documents of what is renamed, and lets none of them be saved until it is: a save that
// meets the rename on the way could be taken for another program's write, or put a file back at the old path.
func (f *Files) renameSaved(ctx context.Context, open []*session.Document, from, to string) error {
	// In one order, so that no two renames wait for each other.
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

// index makes the server give a folder an id. When it is renamed, the ids of what is in it, and with them the rooms,
// only go along if it has one itself (jupyter_server_fileid manager.py, ArbitraryFileIdManager.move).
func (f *Files) index(ctx context.Context, folder string) {
	if _, err := f.srv.CollaborationSession(ctx, folder, "text", "file"); err != nil {
		f.m.Log().Debug("a folder that is to be renamed was not indexed", "path", folder, "error", err)
	}
}
