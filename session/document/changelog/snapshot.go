package changelog

import (
	"context"
	"slices"
	"time"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A Snapshot is the cells of a notebook at a revision, without outputs.
type Snapshot struct {
	Name  string // the revision as text, which names the process, too
	At    time.Time
	Cells []SnapshotCell
}

// A SnapshotCell is a cell of a snapshot.
type SnapshotCell struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Source string `json:"source"`
}

// Snapshots keeps snapshots of a notebook longer than its log.
type Snapshots interface {
	// Keep keeps a snapshot. It does not wait for a disk.
	Keep(s Snapshot)
	// Find returns the snapshot of a revision or, if that is "", the last one until a time.
	Find(ctx context.Context, revision string, at time.Time) (Snapshot, bool)
	// Look notes the revision that an owner was shown. It does not wait for a disk.
	Look(owner, revision string)
	// Looked returns the revision that an owner was last shown, and when; "" if that is not known.
	Looked(ctx context.Context, owner string) (revision string, at time.Time)
}

// Keep makes the log keep snapshots: of its beginning and its end, of the last revisions that were answered to clients, before
// a client's first edit after [taskPause], and whenever much has changed.
func (l *Log) Keep(in Snapshots) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.album.in = in; !l.blurred {
		in.Keep(snapshotOf(l.order, l.rev))
	}
}

func snapshotOf(order []*cell, rev ydoc.Revision) Snapshot {
	s := Snapshot{Name: rev.String(), At: time.Now(), Cells: make([]SnapshotCell, len(order))}
	for i, c := range order {
		s.Cells[i] = SnapshotCell{c.id, c.typ, c.source}
	}
	return s
}

const (
	// maxShown is the number of shown snapshots that are remembered, and maxShownCells that of their cells. The last one is
	// always remembered.
	maxShown      = 8
	maxShownCells = 10_000
	// taskPause is how long a client edits nothing between two tasks.
	taskPause = 10 * time.Minute
	// maxChanged is how much text may change without a snapshot, in bytes.
	maxChanged = 32 << 10
)

// album remembers the notebook at the last revisions that were answered to clients, and keeps it between tasks.
type album struct {
	in      Snapshots // nil for none
	shown   []Snapshot
	wrote   map[string]time.Time // when each client last edited
	changed int                  // bytes of text since the last snapshot between tasks
}

// writes keeps the notebook as it is before a client's edit, if that begins a task.
func (a *album) writes(client string, order []*cell, rev ydoc.Revision) {
	if a.in == nil {
		return
	}
	if a.wrote == nil {
		a.wrote = map[string]time.Time{}
	}
	last, before := a.wrote[client]
	if a.wrote[client] = time.Now(); !before || time.Since(last) >= taskPause {
		a.in.Keep(snapshotOf(order, rev))
		a.changed = 0
	}
}

// changes keeps the notebook if much of it has changed.
func (a *album) changes(order []*cell, rev ydoc.Revision) {
	if a.in != nil && a.changed >= maxChanged {
		a.in.Keep(snapshotOf(order, rev))
		a.changed = 0
	}
}

// show remembers the notebook at a revision that is answered to a client.
func (a *album) show(order []*cell, rev ydoc.Revision) {
	n := len(a.shown)
	if a.in == nil || n > 0 && a.shown[n-1].Name == rev.String() {
		return
	}
	a.shown = append(a.shown, snapshotOf(order, rev))
	for len(a.shown) > maxShown || len(a.shown) > 1 && len(a.shown)*len(order) > maxShownCells {
		a.shown = slices.Delete(a.shown, 0, 1)
	}
}

// keep keeps the notebook as it was shown to clients.
func (a *album) keep() {
	for _, s := range a.shown {
		a.in.Keep(s)
	}
	a.shown = nil
}

// Before returns the changes since the snapshot of a revision or, if that is "", since a time: those of the log if it covers
// the time, else since the last snapshot until then; false if it is not kept. The authors of changes since a snapshot are not
// known.
func (l *Log) Before(ctx context.Context, revision string, at time.Time) (t *Delta, from Snapshot, ok bool) {
	l.mu.Lock()
	kept, rev, covers := l.album.in, l.first, !l.began.After(at) && l.base == l.dropped
	for _, e := range l.entries {
		if e.last > at.UnixNano() {
			break
		}
		rev, covers = e.to, true
	}
	l.mu.Unlock()
	if covers && revision == "" {
		if t, ok = l.Since(rev); ok {
			return t, from, true
		}
	}
	if kept == nil {
		return nil, from, false
	}
	if from, ok = kept.Find(ctx, revision, at); !ok {
		return nil, from, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mark()
	return from.until(l.cells, l.order, l.rev), from, !l.blurred
}

// until returns the changes from the snapshot to a notebook.
func (s Snapshot) until(cells map[string]*cell, order []*cell, rev ydoc.Revision) *Delta {
	t := &Delta{To: rev, now: map[string]string{}}
	add := func(e entry) {
		e.who, e.to, e.begun, e.last = Who{Unknown: true}, rev, s.At.UnixNano(), s.At.UnixNano()
		t.entries = append(t.entries, e)
	}
	was := make(map[string]SnapshotCell, len(s.Cells))
	place := make(map[string]int, len(s.Cells)) // among the cells that still exist
	for _, c := range s.Cells {
		if _, exists := cells[c.ID]; !exists {
			add(entry{cell: c.ID, kinds: Deleted, edits: []span{{0, c.Source, ""}}})
			continue
		}
		was[c.ID], place[c.ID] = c, len(place)
	}
	var places []int
	for _, c := range order {
		if at, old := place[c.id]; old {
			places = append(places, at)
		}
	}
	stays := map[int]bool{}
	for _, i := range textdiff.Ascending(places) {
		stays[places[i]] = true
	}
	after := ""
	for _, c := range order {
		old, existed := was[c.id]
		e := entry{cell: c.id, after: after, typ: c.typ}
		switch {
		case !existed:
			e.kinds, e.edits = Added, []span{{0, "", c.source}}
		case !stays[place[c.id]]:
			e.kinds = Moved
		}
		if existed && old.Type != c.typ {
			e.kinds, e.was = e.kinds|Retyped, old.Type
		}
		if existed && old.Source != c.source {
			e.kinds, e.edits = e.kinds|Edited, []span{between(old.Source, c.source)}
		}
		if after = c.id; e.kinds != 0 {
			add(e)
			t.now[c.id] = c.source
		}
	}
	return t
}
