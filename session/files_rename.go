package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Renamed is what a rename did.
type Renamed struct {
	From, To string // as the server has them
	Type     string // as in the Contents API
	// Lost are documents of ours that did not follow, by their old path. Their
	// sessions were ended.
	Lost []string
}

// Rename moves a file or a folder to another path, where there must be nothing.
// A room follows its file: the people in it go on as before, and so does our own
// document. Kernels go along too. The error matches ErrExists, ErrNoFolder or
// ErrOtherKind where it cannot be.
func (m *Manager) Rename(ctx context.Context, from, to string) (Renamed, error) {
	to, err := jupyter.CleanPath(to)
	if err != nil {
		return Renamed{}, err
	}
	c, err := m.cfg.Server.Contents(ctx, from, jupyter.ContentsOptions{})
	if err != nil {
		return Renamed{}, err
	}
	out := Renamed{From: c.Path, To: to, Type: c.Type}
	folder := c.Type == "directory"
	switch {
	case folder && under(to, c.Path):
		return out, fmt.Errorf("rename %s: %w: %q is in it or is itself", c.Path, ErrFolder, to)
	case !folder && (c.Type == "notebook") != notebookName(to):
		// Its room would be of the one kind, and the next to open it would
		// make another of the other, which write over each other.
		return out, fmt.Errorf("rename %s to %s: %w: a notebook's name ends in .ipynb, and no other file's does", c.Path, to, ErrOtherKind)
	}
	if err := m.vacant(ctx, to); err != nil {
		return out, err
	}
	if folder {
		m.index(ctx, c.Path)
	}
	open := m.holdUnder(func(p string) bool { return under(p, c.Path) })
	defer func() {
		for _, e := range open {
			e.doc.Release()
		}
	}()
	if err := m.renameSaved(ctx, open, c.Path, to); err != nil {
		if errors.Is(err, jupyter.ErrConflict) {
			return out, fmt.Errorf("rename %s: %w: %q", c.Path, ErrExists, to)
		}
		return out, err
	}
	// What follows is to be done also where the caller has gone.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), followTimeout)
	defer stop()
	for _, err := range m.servers.Move(ctx, c.Path, to) {
		m.log.Warn("a kernel was not taken along", "path", to, "error", err)
	}
	for _, e := range open {
		if e.doc.follows(ctx, c.Path) {
			continue
		}
		out.Lost = append(out.Lost, e.doc.Path())
		m.drop(e, "its file was renamed, and the room did not follow")
	}
	return out, nil
}

// renameSaved saves the open documents of what is renamed, and lets none of them
// be saved until it is: a save that meets the rename on the way could be taken for
// another program's write, or put a file back at the old path.
func (m *Manager) renameSaved(ctx context.Context, open []*entry, from, to string) error {
	// In one order, so that no two renames wait for each other.
	slices.SortFunc(open, func(a, b *entry) int { return strings.Compare(a.doc.FileID(), b.doc.FileID()) })
	for _, e := range open {
		if !e.doc.holdSaves(ctx) {
			return ctx.Err()
		}
		defer e.doc.releaseSaves()
		if !e.doc.current().room.AutosaveOff() {
			e.doc.save(ctx)
		}
	}
	_, err := m.name(ctx, from, to)
	return err
}

// index makes the server give a folder an id. When it is renamed, the ids of
// what is in it, and with them the rooms, only go along if it has one itself
// (jupyter_server_fileid manager.py, ArbitraryFileIdManager.move).
func (m *Manager) index(ctx context.Context, folder string) {
	format, typ := textKind.room()
	if _, err := m.cfg.Server.CollaborationSession(ctx, folder, format, typ); err != nil {
		m.log.Debug("a folder that is to be renamed was not indexed", "path", folder, "error", err)
	}
}

// follows waits until the document is no longer at or under a path.
func (d *Document) follows(ctx context.Context, from string) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		lv := d.current()
		lv.server.findPath(ctx, d, lv)
		if !under(d.Path(), from) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-d.ctx.Done():
			return true // it has ended, for whatever reason
		case <-tick.C:
		}
	}
}
