package changelog

import (
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc"
)

const (
	// lossWithin is the time within which a room that fails loses or doubles its cells.
	lossWithin = 2 * time.Second
	// minLost and minDoubled are the fewest lost and doubled cells that count.
	minLost    = 5
	minDoubled = 3
)

// A Loss is at least half of a notebook's cells gone, all of them there twice, or half of them there twice with the same ids, by
// the hands of others.
type Loss struct {
	Before  Snapshot  // the notebook before
	Lost    int       // how many cells with text are gone; 0 if they are doubled
	Doubled int       // how many are doubled
	Twins   bool      // the doubled cells have the same nbformat ids, as from another history; copies of a person have new ones
	Empty   bool      // no text is left
	Clients []uint64  // which have added something to the notebook since Before
	Fell    time.Time // when cells last vanished
	At      time.Time // when it was seen
	Loaded  bool      // the server has loaded the file
	Joined  bool      // it was found when the room was joined
}

// Losses watches a notebook for losses. Make it with [Watch].
type Losses struct {
	stop func()

	mu      sync.Mutex
	cells   map[string]SnapshotCell
	order   []string // their ids
	rev     ydoc.Revision
	reloads uint64
	joined  []SnapshotCell // the notebook when the watch began, until Since
	atJoin  *Loss
	base    *Loss // the changes of the last seconds, which may become one; nil for none
	changed bool  // since the last Take
	again   bool  // base is a loss that cannot be judged yet
}

// Watch watches a notebook until Stop.
func Watch(nb *ydoc.Notebook) *Losses {
	l := &Losses{}
	l.stop = nb.Follow(l.note)
	l.joined = l.Last().Cells
	return l
}

// Stop ends it.
func (l *Losses) Stop() { l.stop() }

// note records a batch of changes.
func (l *Losses) note(b ydoc.Batch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !b.Complete && l.cells != nil, b.Order && !b.Origin.Others:
		l.base = nil // the changes are not known, or are ours
	case b.Order:
		if l.base == nil || !l.again && time.Since(l.base.At) > lossWithin {
			l.base = &Loss{Before: l.now(), At: time.Now()}
		}
		l.changed = true
	}
	if l.base != nil {
		if b.Order && b.Complete && len(b.IDs) < len(l.order) {
			l.base.Fell = time.Now()
		}
		l.base.Loaded = l.base.Loaded || b.Reloads != l.reloads
		l.base.Clients = lo.Union(l.base.Clients, b.Origin.Clients)
	}
	l.rev, l.reloads = b.To, b.Reloads
	if !b.Complete {
		l.cells, l.order = make(map[string]SnapshotCell, len(b.Now)), nil
	}
	for _, c := range b.Now {
		l.cells[c.ID] = SnapshotCell{c.ID, c.Type, c.Source}
		if !b.Complete {
			l.order = append(l.order, c.ID)
		}
	}
	if b.Order && b.Complete {
		l.order = b.IDs
		if len(l.cells) > len(l.order) {
			all := l.cells
			l.cells = make(map[string]SnapshotCell, len(l.order))
			for _, id := range l.order {
				l.cells[id] = all[id]
			}
		}
	}
	return false
}

// now returns the notebook as it is. The caller holds the lock.
func (l *Losses) now() Snapshot {
	s := Snapshot{Name: l.rev.String(), At: time.Now(), Cells: make([]SnapshotCell, len(l.order))}
	for i, id := range l.order {
		s.Cells[i] = l.cells[id]
	}
	return s
}

// Last returns the notebook as it is.
func (l *Losses) Last() Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now()
}

// Since compares the notebook, as it was when the watch began, with the notebook of before.
func (l *Losses) Since(before Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if loss, ok := (Loss{Before: before, Joined: true}).in(l.joined); ok {
		l.atJoin = &loss
	}
	l.joined = nil
}

// Take returns a loss, once.
func (l *Losses) Take() (loss Loss, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.atJoin != nil {
		loss, l.atJoin = *l.atJoin, nil
		return loss, true
	}
	if !l.changed || l.base == nil {
		return loss, false
	}
	l.changed, l.again = false, false
	if loss, ok = l.base.in(l.now().Cells); ok {
		l.base = nil
	}
	return loss, ok
}

// in completes a loss for the cells as they are now; false if they are the usual ones.
func (loss Loss) in(now []SnapshotCell) (Loss, bool) {
	source := func(c SnapshotCell) string { return c.Source }
	had, sources := lo.CountValuesBy(loss.Before.Cells, source), lo.CountValuesBy(now, source)
	ids, twins := map[string]bool{}, map[string]string{}
	for _, c := range now {
		ids[c.ID], twins[ydoc.TwinOf(c.ID)] = true, c.Source
	}
	for _, c := range loss.Before.Cells {
		delete(twins, ydoc.TwinOf(c.ID)) // was there before
	}
	loss.At, loss.Empty = time.Now(), len(sources) == 0 || len(sources) == 1 && sources[""] > 0
	all, doubled, same := 0, 0, 0
	for _, c := range loss.Before.Cells {
		if strings.TrimSpace(c.Source) == "" {
			continue
		}
		all++
		if !ids[c.ID] && sources[c.Source] == 0 {
			loss.Lost++
		}
		if sources[c.Source] >= 2*had[c.Source] {
			doubled++
		}
		if twins[c.ID] == c.Source {
			same++
		}
	}
	switch {
	case loss.Lost >= minLost && 2*loss.Lost >= all:
	case same >= minDoubled && 2*same >= all:
		loss.Lost, loss.Doubled, loss.Twins = 0, same, true
	case doubled == all && doubled >= minDoubled && len(now) >= 2*len(loss.Before.Cells):
		loss.Lost, loss.Doubled = 0, len(loss.Before.Cells)
	default:
		return Loss{}, false
	}
	return loss, true
}

// Again makes Take return a loss again, which cannot be judged yet.
func (l *Losses) Again(loss Loss) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil {
		loss.Lost = 0
		l.base, l.changed, l.again = &loss, true, true
	}
}
