package session

import (
	"context"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// follow finds the new path of a file that is no longer at its path, and gives it to the document; false if the file does
// not exist.
func (d *Document) follow(ctx context.Context, fileID string) bool {
	path, err := d.m.cfg.Server.Rooms.FilePath(ctx, fileID)
	if err != nil || path == d.Path() {
		return false
	}
	if _, err := d.m.cfg.Server.Contents.Get(ctx, path, jupyter.ContentsOptions{}); err != nil {
		return false
	}
	d.m.moved(ctx, d, path)
	return true
}

// moved gives a document its new path. If the new path is already open, there are two documents of one room, and the
// old one is closed.
func (m *Manager) moved(ctx context.Context, d *Document, path jupyter.Path) {
	e := d.entry
	m.mu.Lock()
	_, taken := m.open[path]
	if !taken && m.open[e.path] == e {
		delete(m.open, e.path)
		e.path = path
		m.open[path] = e
	}
	m.mu.Unlock()

	d.mu.Lock()
	old := d.path
	d.path = path
	d.live.room.Rename(path)
	d.mu.Unlock()
	m.log.Info("document renamed", "from", old, "to", path)
	if taken {
		m.drop(e, "its file was renamed to "+path.String()+", which is already open")
		return
	}
	m.memory.Move(old, path)
	m.Presence.lobby.Moved(old, path)
	m.fixed.Moved(old, path)
	m.tell(Event{Kind: Moved, Document: d})
	if d.kernel != nil {
		d.kernel.moved(ctx, old, path)
	}
}

// Follows waits until the document is no longer at or under a path.
func (d *Document) Follows(ctx context.Context, from jupyter.Path) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if lv := d.current(); !lv.server.tellsPath() {
			d.follow(ctx, lv.room.FileID())
		}
		if !d.Path().Under(from) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-d.ctx.Done():
			return true // it has ended
		case <-tick.C:
		}
	}
}
