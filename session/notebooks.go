package session

import (
	"slices"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Notebooks lists the open notebooks by path. It neither pins them nor resets their idle time, so each may be evicted
// at any time; its last content can still be read then.
func (m *Manager) Notebooks() []*Document {
	docs := documents(m, func(e *entry) bool { return !e.going && e.kind == notebookKind })
	slices.SortFunc(docs, func(a, b *Document) int { return a.Path().Compare(b.Path()) })
	return docs
}

// Hold pins an open document until its Release is called, as [Manager.Open] does; false if it is no longer open.
func (d *Document) Hold() bool { return d.m.pin(d.entry) }

// OpenedAt returns when the document was opened here.
func (d *Document) OpenedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened
}

// ChangedAt returns when its content last changed, as seen here; the time of opening if it has not.
func (d *Document) ChangedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

// HoldUnder pins the open documents whose path is wanted; release each of them.
func (m *Manager) HoldUnder(wanted func(path jupyter.Path) bool) []*Document {
	docs := documents(m, func(e *entry) bool { return wanted(e.path) })
	return slices.DeleteFunc(docs, func(d *Document) bool { return !d.Hold() })
}
