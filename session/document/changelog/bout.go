package changelog

import (
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
)

// A Bout is what one author did in a cell that was there, without a rest.
type Bout struct {
	Who         Who
	Begun, Last time.Time
	// Typed is what they wrote, where it was kept: text that stands apart is set apart by an ellipsis.
	Typed string
}

// Lately are the last bouts of each author who has changed the text of a cell from a time on, the last first.
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

// together are edits one after the other. Where nobody else has changed the text between them, what goes on where the one has
// ended is one.
func together(before, after []span, alone bool) []span {
	if n := len(before); alone && n > 0 && len(after) > 0 {
		if one, ok := before[n-1].join(after[0]); ok {
			return slices.Concat(before[:n-1], []span{one}, after[1:])
		}
	}
	return slices.Concat(before, after)
}

// written is what edits put into their cell's text. What was written at different places is set apart.
func written(edits []span) string {
	return strings.Join(lo.Compact(lo.Map(edits, func(s span, _ int) string { return strings.TrimSpace(s.new) })), " … ")
}
