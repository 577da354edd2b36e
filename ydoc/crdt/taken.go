package crdt

import (
	"cmp"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// A deletion of ours can come too late as well: the server has the move of what it deletes in, and drops it. It has no
// echo then, and one that it has is known by what it deletes. What came back neither itself nor by a later change of ours
// when the move arrives is behind the move, and is deleted in the copy, too. For its place there we keep what it deleted.

// unheard is a transaction of ours of which no echo has come yet: it added the units up to a clock, and deleted others.
type unheard struct {
	from, to int
	taken    []*taken
}

// taken is what a transaction of ours deleted of a text.
type taken struct {
	stretch
	chars *text
	in    *Type
	by    *unheard
	heard bool // the server has passed on that it is deleted
}

// maxUnheard bounds how many such transactions are remembered.
const maxUnheard = 256

// note remembers a transaction of ours that deletes something of a text that itself stays.
func (r *Replica) note(trans *ycrdt.Transaction) {
	own := trans.Doc.ClientID
	u := &unheard{from: trans.BeforeState[own], to: trans.AfterState[own]}
	eachDeleted(trans, func(item *ycrdt.Item) {
		chars, ok := item.Content.(*text)
		t, _ := item.Parent.(*Type)
		if !ok || t == nil || t.Item == nil || t.Deleted() || item.ID.Client == own && item.ID.Clock >= u.from {
			return
		}
		u.taken = append(u.taken, &taken{stretch: stretchOf(item), chars: copyText(chars), in: t, by: u})
	})
	if len(u.taken) == 0 {
		return
	}
	r.unheard = slices.DeleteFunc(r.unheard, r.passedOn)
	if len(r.unheard) == maxUnheard {
		r.unheard = slices.Delete(r.unheard, 0, 1)
	}
	r.unheard = append(r.unheard, u)
}

func copyText(t *text) *text { return &text{b: t.b[:len(t.b):len(t.b)], n: t.n} }

// passedOn reports whether the server is known to have a transaction of ours by what it added, or by what a later one
// did.
func (r *Replica) passedOn(u *unheard) bool {
	if u.from == u.to {
		return r.told > u.to
	}
	return r.told >= u.to
}

// hearDeletions notes which deletions of ours an update passes on. One that deletes the text itself says nothing of them.
func (r *Replica) hearDeletions(d *deletions) {
	for _, u := range r.unheard {
		for _, k := range u.taken {
			if !k.heard && d.has(k.client, k.clock) && !d.moved(k.in) {
				k.heard = true
			}
		}
	}
}

// takenIn lists in order what was deleted of an item by transactions of ours of which the server is not known to have had
// anything. What nobody else can have is left out.
func (r *Replica) takenIn(item *ycrdt.Item) (list []taken) {
	for _, u := range r.unheard {
		if r.passedOn(u) {
			continue
		}
		for _, k := range u.taken {
			from, to := max(k.clock, item.ID.Clock), min(k.clock+k.length, item.ID.Clock+item.Length)
			if k.heard || k.client != item.ID.Client || from >= to || uint64(k.client) == r.client && k.clock >= r.told {
				continue
			}
			part := *k
			part.chars = copyText(k.chars)
			if from > k.clock {
				part.chars, _ = part.chars.Splice(from - k.clock).(*text)
			}
			if to-from < part.chars.n {
				part.chars.Splice(to - from)
			}
			part.span = span{from, to - from}
			list = append(list, part)
		}
	}
	slices.SortFunc(list, func(a, b taken) int { return cmp.Compare(a.clock, b.clock) })
	return list
}

// removal is a stretch of a text that a transaction of ours deleted, as offsets in what a copy was made of.
type removal struct {
	by       *unheard
	from, to int
}
