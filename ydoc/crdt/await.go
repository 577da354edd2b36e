package crdt

import (
	"slices"
	"time"

	ycrdt "github.com/skyterra/y-crdt"
)

// A deletion of ours that comes behind a move is made in the copy (orphan.go). What it deletes may not be there yet: the
// one who moved did not know of it, and carries it over later. So it is awaited, at the place where it belongs, and goes
// when it comes.

// awaited is one character that is to go from a copy when it comes there.
type awaited struct {
	in           unit   // the copy's item
	by           []int  // who made that, or one that it was made of, and so may put it there
	behind, upto *unit  // between what it comes; nil for the start and the end
	char         string // what it is
	since        time.Time
}

const (
	// awaitedFor is how long a character is awaited.
	awaitedFor = time.Minute
	// maxAwaited bounds how many characters are awaited.
	maxAwaited = 256
	// maxArrived is how many items are looked at for what came between two characters of a copy.
	maxArrived = 1_024
)

// place has a character awaited in a copy that corresponds to an offset of what that was made of: between the nearest that
// were kept, as what else is there may stand on either side of it.
func (a *awaited) place(copied *Type, off int, kept [][3]int) {
	from, to := 0, copied.Length
	for _, k := range kept {
		switch end := k[2] + k[1] - k[0]; {
		case end <= off:
			from = k[1]
		case k[2] >= off:
			to = min(to, k[0])
		default:
			from = k[0] + off - k[2]
			to = from
		}
	}
	a.in, a.behind, a.upto = unitOf(&copied.Item.ID), copied.unitBefore(from), copied.unitBefore(to+1)
	if maker := copied.Item.ID.Client; !a.from(maker) {
		a.by = append(a.by, maker)
	}
}

// arrived finds the units of an awaited character that are not others' already, none if it has not come.
func (a *awaited) arrived(trans *ycrdt.Transaction, others []unit) (units []unit) {
	holder := itemAt(trans.Doc.Store, a.in)
	t := typeOf(holder)
	if t == nil || holder.Deleted() {
		return nil
	}
	item, from := t.Start, 0
	if a.behind != nil {
		behind := holding(trans.Doc.Store, *a.behind)
		if behind == nil || behind.Parent != t {
			return nil
		}
		item, from = behind, a.behind.clock+1-behind.ID.Clock
	}
	for range maxArrived {
		if item == nil {
			break
		}
		part := stretchOf(item)
		part.clock, part.length = part.clock+from, part.length-from
		last := a.upto != nil && part.holds(*a.upto)
		if last {
			part.length = a.upto.clock - part.clock
		}
		if c, ok := item.Content.(*text); ok && visible(item) && a.from(part.client) {
			if units = charIn(c, item.ID.Clock, part, a.char, others); units != nil {
				return units
			}
		}
		if last {
			break
		}
		item, from = item.Right, 0
	}
	return nil
}

// arrive finds the units of those awaited characters that have come, and says which have not.
func arrive(trans *ycrdt.Transaction, list []*awaited) (rest []*awaited, come []unit) {
	rest = slices.DeleteFunc(list, func(a *awaited) bool {
		units := a.arrived(trans, come)
		come = append(come, units...)
		return units != nil || time.Since(a.since) > awaitedFor
	})
	return rest[max(0, len(rest)-maxAwaited):], come
}

// from reports whether a client may have put an awaited character where it belongs.
func (a *awaited) from(client int) bool { return slices.Contains(a.by, client) }

// charIn lists the units of the first such character in a part of a text that begins at a clock, but for some.
func charIn(t *text, clock int, part stretch, char string, but []unit) []unit {
	for _, c := range string(t.b) {
		n := 1
		if c > 0xffff {
			n = 2
		}
		if string(c) == char && clock >= part.clock && clock+n <= part.clock+part.length && !slices.Contains(but, unit{part.client, clock}) {
			return []unit{{part.client, clock}, {part.client, clock + 1}}[:n]
		}
		clock += n
	}
	return nil
}

// await makes what awaits the characters of a text from an offset to another that its copy has not got.
func await(copied *Type, was string, from, to int, kept [][3]int) (list []*awaited) {
	for off, c := range absent(was, from, to, kept) {
		a := &awaited{char: c, since: time.Now()}
		a.place(copied, off, kept)
		list = append(list, a)
	}
	return list
}

// absent lists the characters from an offset of a text to another that are in none of the stretches which are kept, by
// the offset of each.
func absent(was string, from, to int, kept [][3]int) map[int]string {
	found := map[int]string{}
	off := 0
	for _, c := range was {
		in := from <= off && off < to
		for _, k := range kept {
			in = in && (off < k[2] || k[2]+k[1]-k[0] <= off)
		}
		if in {
			found[off] = string(c)
		}
		if off++; c > 0xffff {
			off++
		}
	}
	return found
}
