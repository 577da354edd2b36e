// Package ranges tracks which parts of a text a reader knows, and carries them over to later versions of the text.
package ranges

import (
	"slices"
	"strings"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A Span is a part of a text, as a half-open range of bytes.
type Span struct{ From, To int }

// A Set is a list of parts of a text, in ascending order, that neither touch nor overlap.
type Set []Span

// Add returns the set with part added.
func (s Set) Add(part Span) Set {
	if part.From >= part.To {
		return s
	}
	out := make(Set, 0, len(s)+1)
	for i, have := range s {
		switch {
		case have.To < part.From:
			out = append(out, have)
		case have.From > part.To:
			return append(append(out, part), s[i:]...)
		default:
			part = Span{min(part.From, have.From), max(part.To, have.To)}
		}
	}
	return append(out, part)
}

// Missing returns the first byte of a part that is not in the set, or -1.
func (s Set) Missing(part Span) int {
	at := part.From
	for _, have := range s {
		if have.From > at || at >= part.To {
			break
		}
		at = max(at, have.To)
	}
	if at >= part.To {
		return -1
	}
	return at
}

// Carry returns the parts of now that are unchanged from the set of old. If own is true, new text in now is added.
func (s Set) Carry(old, now string, own bool) Set {
	if old == now {
		return s
	}
	var out Set
	kept := func(from, to, shift int) { // old[from:to] is in now, shifted by shift
		for _, have := range s {
			if first, end := max(have.From, from), min(have.To, to); first < end {
				out = out.Add(Span{first + shift, end + shift})
			}
		}
	}
	done, shift := 0, 0
	for from, e := range changes(old, textdiff.Diff(old, now)) {
		kept(done, from.From, shift)
		if own {
			out = out.Add(Span{from.From + shift, from.From + shift + len(e)})
		}
		done, shift = from.To, shift+len(e)-(from.To-from.From)
	}
	kept(done, len(old), shift)
	return out
}

// Removed returns the start of a stretch of old that is not in the set, no longer in now, and not only white space,
// or -1. Only the given part of old became now.
func (s Set) Removed(old string, part Span, now string) int {
	if s.Missing(part) < 0 {
		return -1
	}
	removed := old[part.From:part.To]
	for gone := range changes(removed, textdiff.Diff(removed, now)) {
		for at := gone.From; at < gone.To; {
			miss := s.Missing(Span{part.From + at, part.From + gone.To})
			if miss < 0 {
				break
			}
			known := slices.IndexFunc(s, func(have Span) bool { return have.From > miss })
			end := part.From + gone.To
			if known >= 0 {
				end = min(end, s[known].From)
			}
			if unread := old[miss:end]; strings.TrimSpace(unread) != "" {
				return miss
			}
			at = end - part.From
		}
	}
	return -1
}

// changes iterates over edits of a text, with the bytes replaced by each.
func changes(text string, edits []textdiff.Edit) func(yield func(Span, string) bool) {
	return func(yield func(Span, string) bool) {
		at, units := 0, 0
		offset := func(to int) int {
			at += textdiff.ByteOffset(text[at:], to-units)
			units = to
			return at
		}
		for _, e := range edits {
			if from := offset(e.Pos); !yield(Span{from, offset(e.Pos + e.Del)}, e.Ins) {
				return
			}
		}
	}
}
