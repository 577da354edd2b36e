package history

import (
	"slices"
	"strings"
	"time"
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
	for _, e := range slices.Backward(l.entries) {
		if e.cell != cell || e.typing[1] == 0 {
			continue
		}
		at := slices.IndexFunc(all, func(o *entry) bool { return o.who.equal(e.who) })
		switch {
		case at >= 0:
			if b := &bouts[at]; b.Begun.UnixNano()-e.typing[1] < int64(rest) {
				b.Begun = time.Unix(0, e.typing[0])
				b.Typed = joinTyped(e.written(), b.Typed)
			}
		case e.typing[1] >= from.UnixNano():
			all = append(all, e)
			bouts = append(bouts, Bout{e.who, time.Unix(0, e.typing[0]), time.Unix(0, e.typing[1]), e.written()})
		}
	}
	slices.SortStableFunc(bouts, func(a, b Bout) int { return b.Last.Compare(a.Last) })
	return bouts
}

// written is what an entry put into its cell's text.
func (e *entry) written() (text string) {
	for _, s := range e.edits {
		text = joinTyped(text, s.new)
	}
	return text
}

// joinTyped puts together what was written at two places.
func joinTyped(before, after string) string {
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	if before == "" || after == "" {
		return before + after
	}
	return before + " … " + after
}
