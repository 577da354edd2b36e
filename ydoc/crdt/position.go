package crdt

import (
	"slices"
	"sort"

	ycrdt "github.com/skyterra/y-crdt"
)

// mark caches how many visible units of a list precede one of its items. Only items that can never be merged into
// their left neighbour are marked, because those live as long as the list.
type mark struct {
	item *ycrdt.Item
	pos  int
}

// marks are the cached positions of one list, in order. Small changes shift them; other changes drop them. The items
// carry the library's own flag for this, which it does not use on our types.
type marks struct{ list []mark }

func (m *marks) reset() {
	for _, k := range m.list {
		k.item.SetMarker(false)
	}
	m.list = nil
}

// of returns the position of a marked item.
func (m *marks) of(item *ycrdt.Item) (pos int, ok bool) {
	for i := range m.list {
		if m.list[i].item == item {
			return m.list[i].pos, true
		}
	}
	return 0, false
}

// before returns the last mark before pos.
func (m *marks) before(pos int) (mark, bool) {
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].pos >= pos })
	if i == 0 {
		return mark{}, false
	}
	return m.list[i-1], true
}

func (m *marks) add(item *ycrdt.Item, pos int) {
	if item.Marker() {
		return
	}
	item.SetMarker(true)
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].pos > pos })
	m.list = slices.Insert(m.list, i, mark{item, pos})
}

// inserted shifts the marks after an insertion of n units at pos. A mark right at pos may be on either side and is
// dropped.
func (m *marks) inserted(pos, n int) {
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].pos >= pos })
	j := i
	for j < len(m.list) && m.list[j].pos == pos {
		m.list[j].item.SetMarker(false)
		j++
	}
	m.list = slices.Delete(m.list, i, j)
	for ; i < len(m.list); i++ {
		m.list[i].pos += n
	}
}

// deleted shifts the marks after or inside a deletion of n units at pos.
func (m *marks) deleted(pos, n int) {
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].pos > pos })
	for ; i < len(m.list); i++ {
		m.list[i].pos = max(pos, m.list[i].pos-n)
	}
}

// MarkEvery is the number of items walked between marks. Only tests change it.
var MarkEvery = 64

// markAll sets marks throughout a list without marks.
func (t *Type) markAll() {
	if len(t.marks.list) > 0 {
		return
	}
	at, steps := 0, 0
	for item := t.Start; item != nil; item = item.Right {
		if steps++; steps > MarkEvery && !follows(item) {
			t.marks.list = append(t.marks.list, mark{item, at})
			item.SetMarker(true)
			steps = 0
		}
		if visible(item) {
			at += item.Length
		}
	}
}

// follows reports whether the library could merge an item into its left neighbour, now or later.
func follows(item *ycrdt.Item) bool {
	l := item.Left
	return l != nil && l.ID.Client == item.ID.Client && l.ID.Clock+l.Length == item.ID.Clock
}

// seek returns the visible item that holds the unit before pos, and the number of its units up to pos. It returns nil
// for the start of the list, and for a pos beyond its end.
func (t *Type) seek(pos int) (item *ycrdt.Item, off int) {
	if pos <= 0 {
		return nil, 0
	}
	item, at := t.Start, 0
	if m, ok := t.marks.before(pos); ok {
		item, at = m.item, m.pos
	}
	steps := 0
	for ; item != nil; item = item.Right {
		if steps++; steps > MarkEvery && !follows(item) {
			t.marks.add(item, at)
			steps = 0
		}
		if !visible(item) {
			continue
		}
		if pos <= at+item.Length {
			return item, pos - at
		}
		at += item.Length
	}
	return nil, 0
}

// unitBefore returns the unit before pos, nil for the start of the list and for a pos beyond its end.
func (t *Type) unitBefore(pos int) *unit {
	item, off := t.seek(pos)
	if item == nil {
		return nil
	}
	return &unit{item.ID.Client, item.ID.Clock + off - 1}
}

// maxRemoved bounds the units that a rescued edit deletes at one place.
const maxRemoved = 1 << 16

// unitsIn returns the units of a text between two offsets, nil if they are too many.
func unitsIn(t *Type, from, to int) (units []unit) {
	if to-from > maxRemoved {
		return nil
	}
	for at := from + 1; at <= to; at++ {
		if u := t.unitBefore(at); u != nil {
			units = append(units, *u)
		}
	}
	return units
}

// Boundary returns an error that matches [ErrInvalid] unless pos, in UTF-16 units, is in the text and between two
// characters.
func (t *Type) Boundary(pos int) error {
	inside := false
	if pos > 0 && pos <= t.Length {
		item, off := t.seek(pos)
		if c, ok := item.Content.(*text); ok {
			_, inside = cut(c.b, c.n, off)
		}
	}
	return misplaced(pos, t.Length, inside)
}
