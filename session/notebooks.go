package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

// times are when what happened to a document. Document.mu guards them.
type times struct {
	opened  time.Time
	changed time.Time // its content, as far as seen here
}

// Notebooks lists the open notebooks by path. To be listed is no use: it
// neither pins them nor touches their idle clocks, so that each may be put
// away at any time; what it held then can still be read.
func (m *Manager) Notebooks() []*Document {
	m.mu.Lock()
	var docs []*Document
	for _, e := range m.open {
		if e.doc != nil && !e.going && e.kind == notebookKind {
			docs = append(docs, e.doc)
		}
	}
	m.mu.Unlock()
	slices.SortFunc(docs, func(a, b *Document) int { return cmp.Compare(a.Path(), b.Path()) })
	return docs
}

// Hold pins a document that is open until its Release is called, as
// [Manager.Open] does; false where it is open no more.
func (d *Document) Hold() bool { return d.m.pin(d.entry) }

// OpenedAt is when the document was opened here.
func (d *Document) OpenedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.times.opened
}

// ChangedAt is when its content last changed, as far as seen here; the time of
// opening where it has not.
func (d *Document) ChangedAt() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.times.changed
}

// changes notes what became different in the document, and tells of it.
func (d *Document) changes(c ydoc.Changes) {
	c.State = false // is not content
	if c.Empty() {
		return
	}
	d.mu.Lock()
	d.times.changed = time.Now()
	d.mu.Unlock()
	d.m.tell(Event{Kind: Changed, Document: d, Changes: c})
}

// hold pins the document that is open at a path; nil where none is.
func (m *Manager) hold(p string) *Document {
	docs := m.HoldUnder(func(open string) bool { return open == p })
	if len(docs) == 0 {
		return nil
	}
	return docs[0]
}

// HoldUnder pins the open documents of which the path is wanted: release each of them.
func (m *Manager) HoldUnder(wanted func(path string) bool) []*Document {
	m.mu.Lock()
	var entries []*entry
	for p, e := range m.open {
		if e.doc != nil && wanted(p) {
			entries = append(entries, e)
		}
	}
	m.mu.Unlock()
	var docs []*Document
	for _, e := range entries {
		if m.pin(e) {
			docs = append(docs, e.doc)
		}
	}
	return docs
}
