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

// piece is some of a text as it was when a copy took its place.
type piece struct {
	stretch
	chars  *text    // nil if it was deleted before
	shared bool     // others may have it
	by     *unheard // who of us deleted it, which others may not have
}

// seen reports whether a piece was there for everybody.
func (p *piece) seen() bool { return p.chars != nil && p.shared && p.by == nil }

func (s stretch) holds(u unit) bool {
	return s.client == u.client && s.clock <= u.clock && u.clock < s.clock+s.length
}

// piecesOf lists what a text consisted of, right before the transaction that deleted it.
func (r *Replica) piecesOf(trans *ycrdt.Transaction, t *Type) (list []piece) {
	told := r.toldWith(t)
	for item := t.Start; item != nil; item = item.Right {
		p := piece{stretch: stretchOf(item), shared: true}
		c, ok := item.Content.(*text)
		switch {
		case !ok || item.Deleted() && !ycrdt.IsDeleted(trans.DeleteSet, &item.ID):
			list = append(list, p)
			list = append(list, r.takenIn(item, told)...)
			continue
		case uint64(item.ID.Client) == r.client && item.ID.Clock >= told:
			p.shared = false
		}
		p.chars = copyText(c)
		if n := told - item.ID.Clock; uint64(item.ID.Client) == r.client && n > 0 && n < item.Length {
			// Its end is of a later edit, of which no echo has come.
			rest := piece{stretch: stretch{p.client, span{told, p.length - n}}}
			rest.chars, _ = p.chars.Splice(n).(*text)
			p.length = n
			list = append(list, p, rest)
			continue
		}
		list = append(list, p)
	}
	return list
}

// toldWith is how much of our changes somebody has who has a text: if it is a copy that we made, all up to that.
func (r *Replica) toldWith(t *Type) int {
	told := r.told
	for was, c := range r.copies {
		if id := was.Item.Redone; id != nil && unitOf(id) == unitOf(&t.Item.ID) {
			told = max(told, c.clock)
		}
	}
	return told
}

// takenIn lists in order what was deleted of an item by transactions of ours of which the server is not known to have had
// anything. What nobody else can have is left out.
func (r *Replica) takenIn(item *ycrdt.Item, told int) (list []piece) {
	for _, u := range r.unheard {
		if r.passedOn(u) {
			continue
		}
		for _, k := range u.taken {
			from, to := max(k.clock, item.ID.Clock), min(k.clock+k.length, item.ID.Clock+item.Length)
			if uint64(k.client) == r.client {
				to = min(to, told)
			}
			if k.heard || k.client != item.ID.Client || from >= to {
				continue
			}
			p := piece{stretch: stretch{k.client, span{from, to - from}}, chars: copyText(k.chars), shared: true, by: u}
			if from > k.clock {
				p.chars, _ = p.chars.Splice(from - k.clock).(*text)
			}
			if to-from < p.chars.n {
				p.chars.Splice(to - from)
			}
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b piece) int { return cmp.Compare(a.clock, b.clock) })
	return list
}

// removal is a stretch of a text that a transaction of ours deleted, as offsets in what a copy was made of.
type removal struct {
	by       *unheard
	from, to int
}
