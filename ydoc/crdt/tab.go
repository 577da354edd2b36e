package crdt

import (
	"slices"
	"time"

	ycrdt "github.com/skyterra/y-crdt"
)

// A tab that moves a cell carries nothing over: changes that it did not have are lost with the original, including
// our text that the server had passed on just before. We add our text that its copy lacks (orphan.go), but only new
// text: the tab may have deleted older text, which we would learn only later.

// tabKnows is how long after the server has passed on our text a tab may still move its cell without it.
const tabKnows = 3 * time.Second

// tellings record when a peer first had our changes up to a clock, as far back as matters.
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

// news returns the clock from which on our changes were passed on only recently, or not yet.
func (l tellings) news() (clock int) {
	for _, t := range l {
		if time.Since(t.at) > tabKnows {
			clock = t.clock
		}
	}
	return clock
}

// movedInTab reports whether a transaction that deleted something replaced it by a tab's copy. A copy that existed
// before is one that our own copy yielded to, and its maker carries over late changes.
func movedInTab(trans *ycrdt.Transaction, made *Type) bool {
	id := made.Item.ID
	return id.Clock >= trans.BeforeState[id.Client] && isTabs(trans.Doc.Store, made)
}

// missing returns the parts of a text between two offsets that are not in a kept stretch.
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

// withoutContent returns the structs that came back without content, in the form that missing takes.
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

// partOf copies a part of a text.
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
