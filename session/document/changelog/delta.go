package changelog

import (
	"maps"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A Change is the changes of one author in one cell, without changes of the cell by others in between.
type Change struct {
	Cell        string // its id
	Kinds       Kinds
	Who         Who
	Begun, Last time.Time
	// After is the id of the cell that an added or moved cell follows, "" for the top. Applying all changes in order reproduces
	// the order of the cells.
	After string
	// Was and Type are its types before and after, if it was retyped; Type also if it was added.
	Was, Type string
	// Diff is the unified diff of its text.
	Diff string
	// Gone is set if the texts were too large to keep.
	Gone bool
	// Left and Size are the numbers of characters that were removed and added.
	Left, Size int
}

// Delta is the changes since a revision.
type Delta struct {
	// To is the notebook's revision.
	To      ydoc.Revision
	entries []entry
	now     map[string]string // the sources at To of the cells in entries, except deleted ones
}

// Since returns the changes since a revision; false if that is not known, see the package's doc. It seals To.
func (l *Log) Since(r ydoc.Revision) (*Delta, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mark()
	seq, ok := l.find(r)
	t := &Delta{To: l.rev, now: map[string]string{}}
	if !ok {
		return t, false
	}
	for _, e := range l.entries[seq-l.base:] {
		t.entries = append(t.entries, *e)
		if c := l.cells[e.cell]; c != nil {
			t.now[e.cell] = c.source
		}
	}
	return t, true
}

// Len returns the number of entries.
func (t *Delta) Len() int { return len(t.entries) }

// A Cut is a place at which an answer may end.
type Cut struct {
	Entries  int           // before it
	Revision ydoc.Revision // from which the next answer may continue
}

// Cuts returns the places at which the changes can be split, in order. The last is the end.
func (t *Delta) Cuts() (cuts []Cut) {
	least := make([]ydoc.Revision, len(t.entries)) // the earliest from of the entries from each on
	for i := len(t.entries) - 1; i >= 0; i-- {
		if least[i] = t.entries[i].from; i+1 < len(least) {
			least[i] = min(least[i], least[i+1])
		}
	}
	to := ydoc.Revision(0)
	for i, e := range t.entries {
		if to = max(to, e.to); i+1 < len(least) && to <= least[i+1] {
			cuts = append(cuts, Cut{i + 1, to})
		}
	}
	return append(cuts, Cut{len(t.entries), t.To})
}

// group is the entries of one change.
type group struct {
	Change
	first, last int // the first and the last of them
	now         string
}

// Changes returns the changes in the first n entries, the oldest first, except those of authors that leaveOut reports.
func (t *Delta) Changes(n int, leaveOut func(Who) bool) []Change {
	groups, of := t.groups(n, leaveOut)
	texts, lost := maps.Clone(t.now), map[string]bool{}
	for i := len(t.entries) - 1; i >= 0; i-- {
		e := &t.entries[i]
		text := texts[e.cell]
		var g *group
		if i < n {
			g = of[i]
		}
		if g != nil && i == g.last {
			g.now = text
		}
		if e.gone {
			lost[e.cell] = true
		}
		for j := len(e.edits) - 1; j >= 0 && !lost[e.cell]; j-- {
			text = e.edits[j].undo(text)
		}
		texts[e.cell] = text
		if g != nil {
			g.Left, g.Size = g.Left+e.left, g.Size+e.size
			g.Gone = g.Gone || e.kinds&(Edited|Added|Deleted) != 0 && lost[e.cell]
			if i == g.first {
				g.diff(text)
			}
		}
	}
	out := lo.FilterMap(groups, func(g *group, _ int) (Change, bool) { return g.Change, g.Kinds != 0 })
	return out
}

// groups combines the entries, and returns the group of each entry.
func (t *Delta) groups(n int, leaveOut func(Who) bool) (groups []*group, of []*group) {
	of = make([]*group, n)
	about := map[string]*group{} // the last about each cell
	var placing *group           // the last that changes the order
	for i := range t.entries[:n] {
		e := &t.entries[i]
		if leaveOut != nil && leaveOut(e.who) {
			about[e.cell] = nil
			if e.kinds&(placed|Deleted) != 0 {
				placing = nil
			}
			continue
		}
		g := about[e.cell]
		if g == nil || !g.takes(e, g == placing) {
			g = &group{Change: Change{
				Cell: e.cell, Kinds: e.kinds, Who: e.who, Begun: time.Unix(0, e.begun), Last: time.Unix(0, e.last), After: e.after, Was: e.was, Type: e.typ,
			}, first: i}
			groups = append(groups, g)
			about[e.cell] = g
		}
		if g.last = i; e.kinds&(placed|Deleted) != 0 {
			placing = g
		}
		of[i] = g
	}
	return groups, of
}

// takes adds an entry to the change, like entry.takes, regardless of the time between them.
func (g *group) takes(e *entry, last bool) bool {
	so := entry{cell: g.Cell, kinds: g.Kinds, who: g.Who, last: e.begun, after: g.After, was: g.Was, typ: g.Type}
	if next := (entry{kinds: e.kinds, who: e.who, begun: e.begun, last: e.last, after: e.after, was: e.was, typ: e.typ}); !so.takes(&next, last) {
		return false
	}
	g.Kinds, g.After, g.Was, g.Type, g.Last = so.kinds, so.after, so.was, so.typ, time.Unix(0, e.last)
	return true
}

// diff fills in the difference from the text was to the present one.
func (g *group) diff(was string) {
	if g.Kinds&Retyped != 0 && g.Was == g.Type {
		g.Kinds &^= Retyped
	}
	switch {
	case g.Gone:
	case was == g.now:
		g.Kinds &^= Edited
	default:
		g.Diff = datauri.Short(textdiff.Unified("", was, g.now, 1))
		s := between(was, g.now)
		g.Left, g.Size = textfmt.Size(s.old), textfmt.Size(s.new)
	}
	g.now = ""
}
