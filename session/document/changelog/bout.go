package changelog

import (
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
)

// A Bout is the typing of one author in an existing cell, without a rest.
type Bout struct {
	Who         Who
	Begun, Last time.Time
	// Typed is the typed text, if it was kept; separate parts are joined by an ellipsis.
	Typed string
}

// Lately returns the last bout of each author who has changed the text of a cell since from, the latest first.
func (l *Log) Lately(cell string, from time.Time) (bouts []Bout) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*entry
	var edits [][]span // of each bout
	var next *entry
	for _, e := range slices.Backward(l.entries) {
		if e.cell != cell || e.typing[1] == 0 {
			continue
		}
		at := slices.IndexFunc(all, func(o *entry) bool { return o.who.equal(e.who) })
		switch {
		case at >= 0:
			if b := &bouts[at]; b.Begun.UnixNano()-e.typing[1] < int64(rest) {
				b.Begun = time.Unix(0, e.typing[0])
				edits[at] = together(e.edits, edits[at], next.who.equal(e.who))
			}
		case e.typing[1] >= from.UnixNano():
			all = append(all, e)
			edits = append(edits, e.edits)
			bouts = append(bouts, Bout{e.who, time.Unix(0, e.typing[0]), time.Unix(0, e.typing[1]), ""})
		}
		next = e
	}
	for i := range bouts {
		bouts[i].Typed = written(edits[i])
	}
	slices.SortStableFunc(bouts, func(a, b Bout) int { return b.Last.Compare(a.Last) })
	return bouts
}

// together joins successive edits. If only this author has changed the text between them, an edit that continues where the
// previous one ended is merged with it.
func together(before, after []span, alone bool) []span {
	if n := len(before); alone && n > 0 && len(after) > 0 {
		if one, ok := before[n-1].join(after[0]); ok {
			return slices.Concat(before[:n-1], []span{one}, after[1:])
		}
	}
	return slices.Concat(before, after)
}

// written returns the text that edits put into a cell, with separate parts joined by an ellipsis.
func written(edits []span) string {
	return strings.Join(lo.Compact(lo.Map(edits, func(s span, _ int) string { return strings.TrimSpace(s.new) })), " … ")
}
