package crdt

import (
	"slices"
	"time"

	ycrdt "github.com/skyterra/y-crdt"
)

// A tab that moves a cell carries nothing over: what it did not know of goes with the old one, also text of ours that the
// server had passed on just before. What of that its copy lacks we put in ourselves (orphan.go). We do so of new text
// only, as a tab may well have deleted what is older, where we hear of all that only later.

// tabKnows is how long after the server has passed on text of ours a tab may still move what it stands in without it.
const tabKnows = 3 * time.Second

// tellings say when a peer was heard to have our changes up to a clock, as far back as matters.
type tellings []telling

type telling struct {
	clock int
	at    time.Time
}

// add notes that a peer has our changes up to a clock.
func (l *tellings) add(clock int) {
	now := time.Now()
	list := append(*l, telling{clock, now})
	old := 0
	for old+1 < len(list) && now.Sub(list[old+1].at) > tabKnows {
		old++
	}
	*l = slices.Delete(list, 0, old)
}

// news is the clock from which on our changes were told only just, or not at all.
func (l tellings) news() (clock int) {
	for _, t := range l {
		if time.Since(t.at) > tabKnows {
			clock = t.clock
		}
	}
	return clock
}

// movedInTab reports whether a transaction that deleted something put a tab's copy in its place. One that was there
// already is what a copy of ours yielded to, and its maker carries over what arrives for that.
func movedInTab(trans *ycrdt.Transaction, made *Type) bool {
	id := made.Item.ID
	return id.Clock >= trans.BeforeState[id.Client] && isTabs(trans.Doc.Store, made)
}

// missing lists what of a text from an offset to another is in none of the stretches that were kept.
func missing(from, to int, kept [][3]int) (list []span) {
	for from < to {
		end, lacks := to, true
		for _, k := range kept {
			switch last := k[2] + k[1] - k[0]; {
			case k[2] <= from && from < last:
				lacks, end = false, min(end, last)
			case k[2] > from:
				end = min(end, k[2])
			}
		}
		if lacks {
			list = append(list, span{from, end - from})
		}
		from = end
	}
	return list
}

// withoutContent lists what came back without its content, in the form that missing takes.
func withoutContent(structs []ycrdt.IAbstractStruct) (list [][3]int) {
	for _, s := range structs {
		if in, ok := s.(*incoming); ok {
			if _, dropped := in.Content.(*ycrdt.ContentDeleted); !dropped {
				continue
			}
		}
		from := s.GetID().Clock
		list = append(list, [3]int{from, from + s.GetLength(), from})
	}
	return list
}

// partOf copies some of a text.
func partOf(t *text, from, to int) *text {
	t = copyText(t)
	if from > 0 {
		t, _ = t.Splice(from).(*text)
	}
	if to-from < t.n {
		t.Splice(to - from)
	}
	return t
}
