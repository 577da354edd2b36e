package crdt

import (
	"slices"
	"time"

	ycrdt "github.com/skyterra/y-crdt"
)

// If our deletion comes after another replica's move, it is repeated in the copy (orphan.go). The deleted text may
// not be in the copy yet: the replica that moved did not have it and carries it over later. So it is awaited at its
// place in the copy, and deleted on arrival.

// awaited is one character to delete from a copy when it arrives there.
type awaited struct {
	in           unit   // the copy's item
	by           []int  // the clients that may add it: the maker of the copy and of the types copied before
	behind, upto *unit  // the units around its place; nil for the start and the end
	char         string // the character
	since        time.Time
}

const (
	// awaitedFor is how long a character is awaited.
	awaitedFor = time.Minute
	// maxAwaited bounds the number of awaited characters.
	maxAwaited = 256
	// maxArrived is the largest number of items searched for a character between two characters of a copy.
	maxArrived = 1_024
)

// place sets where a character is awaited in a copy, given its offset in the original: between the nearest kept
// characters, because any other text there may be on either side of it.
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

// arrived returns the units of an awaited character, except units in others; nil if it has not arrived.
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

// arrive returns the units of the awaited characters that have arrived, and the characters still awaited.
func arrive(trans *ycrdt.Transaction, list []*awaited) (rest []*awaited, come []unit) {
	rest = slices.DeleteFunc(list, func(a *awaited) bool {
		units := a.arrived(trans, come)
		come = append(come, units...)
		return units != nil || time.Since(a.since) > awaitedFor
	})
	return rest[max(0, len(rest)-maxAwaited):], come
}

// from reports whether a client may have added an awaited character.
func (a *awaited) from(client int) bool { return slices.Contains(a.by, client) }

// charIn returns the units of the first such character in a part of a text that begins at clock, except units in but.
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

// await awaits the characters of a text between two offsets that are missing in its copy.
func await(copied *Type, was string, from, to int, kept [][3]int) (list []*awaited) {
	for off, c := range absent(was, from, to, kept) {
		a := &awaited{char: c, since: time.Now()}
		a.place(copied, off, kept)
		list = append(list, a)
	}
	return list
}

// absent returns the characters of a text between two offsets that are not in a kept stretch, by offset.
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
