package changelog

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Kinds is the set of changes of a cell.
type Kinds uint8

// The kinds of changes.
const (
	Added Kinds = 1 << iota
	Deleted
	Moved
	Retyped // given another type
	Edited
	Run     // its outputs or its execution count changed
	Cleared // its outputs were removed

	placed  = Added | Moved
	outputs = Run | Cleared
)

// String lists them, such as "edited, run".
func (k Kinds) String() string {
	out := lo.Filter([]string{"added", "deleted", "moved", "given another type", "edited", "run", "cleared"}, func(_ string, i int) bool { return k&(1<<i) != 0 })
	return strings.Join(out, ", ")
}

// A Who is the author of a change: one client, or several that cannot be distinguished.
type Who struct {
	// Ours is set if this program made it. Client is then the session of the client that it acted for, "" for none.
	Ours   bool
	Client string
	// Clients are other clients in the room, by the ids of their replicas, ascending.
	Clients []uint64
	// Unknown is set if an unidentified client made it.
	Unknown bool
}

func (w Who) equal(o Who) bool {
	return w.Ours == o.Ours && w.Client == o.Client && w.Unknown == o.Unknown && slices.Equal(w.Clients, o.Clients)
}

// Is reports whether one of this program's clients made the change alone.
func (w Who) Is(client string) bool {
	return w.Ours && w.Client == client && len(w.Clients) == 0 && !w.Unknown
}

// An entry is a continuous change of one cell by one author.
type entry struct {
	cell     string
	kinds    Kinds
	who      Who
	from, to ydoc.Revision // of the notebook, before and after it
	begun    int64         // when, in nanoseconds
	last     int64
	typing   [2]int64 // when its text was first and last changed without a rest between; zeros if it was not
	after    string   // if placed: the id of the cell before it; "" at the top
	was, typ string   // if retyped; typ also if added
	edits    []span   // in their order
	gone     bool     // the texts were too large
	left     int      // characters removed in dropped texts
	size     int      // and characters added
}

// entryBytes is the overhead of an entry besides its texts.
const entryBytes = 240

func (e *entry) bytes() int {
	n := entryBytes
	for _, s := range e.edits {
		n += s.bytes()
	}
	return n
}

// rest is the time without typing after which an author has stopped typing.
const rest = 5 * time.Second

// pause is how long a person pauses before starting something new.
const pause = 3 * time.Second

// takes merges the next change of the same cell into the entry, if it belongs to it. last reports that nothing else was
// changed since.
func (e *entry) takes(n *entry, last bool) bool {
	switch {
	case !e.who.equal(n.who), (e.kinds|n.kinds)&Deleted != 0, n.kinds&Added != 0:
		return false
	case n.kinds&Moved != 0 && !last:
		return false // the cells that it was moved among may have been moved since
	case time.Duration(n.begun-e.last) >= pause && !(n.kinds&^outputs == 0 && e.kinds&outputs != 0):
		return false
	}
	if n.kinds&Moved != 0 {
		e.after = n.after
		if e.kinds&Added != 0 {
			n.kinds &^= Moved
		}
	}
	if n.kinds&Retyped != 0 {
		if e.kinds&(Retyped|Added) == 0 {
			e.was = n.was
		}
		if e.typ = n.typ; e.kinds&Added != 0 {
			n.kinds &^= Retyped
		}
	}
	if n.kinds&Run != 0 {
		e.kinds &^= Cleared // a run begins by clearing
	}
	if n.kinds&Edited != 0 {
		if e.typing[1] == 0 || time.Duration(n.typing[0]-e.typing[1]) >= rest {
			e.typing[0] = n.typing[0]
		}
		e.typing[1] = n.typing[1]
	}
	e.kinds |= n.kinds
	e.to, e.last = n.to, n.last
	for _, s := range n.edits {
		if i := len(e.edits) - 1; i >= 0 {
			if joined, ok := e.edits[i].join(s); ok {
				e.edits[i] = joined
				continue
			}
		}
		e.edits = append(e.edits, s)
	}
	return true
}

// strip drops the texts of an entry.
func (e *entry) strip() {
	for _, s := range e.edits {
		e.left, e.size = e.left+textfmt.Size(s.old), e.size+textfmt.Size(s.new)
	}
	e.edits, e.gone = nil, e.gone || e.kinds&(Edited|Added|Deleted) != 0
}

// A span is a replaced part of a text: the byte offset, and the old and the new text.
type span struct {
	at       int
	old, new string
}

// spanBytes is the overhead of a span besides its texts.
const spanBytes = 56

func (s span) bytes() int { return spanBytes + len(s.old) + len(s.new) }

// between returns the span that turns old into new, without their common beginning and end. Its texts are copies, so that a
// cell's whole source is not kept for one word.
func between(old, new string) span {
	from := textdiff.EqualPrefix(old, new)
	for from > 0 && !(starts(old, from) && starts(new, from)) {
		from--
	}
	end := textdiff.EqualSuffix(old[from:], new[from:])
	for end > 0 && !(starts(old, len(old)-end) && starts(new, len(new)-end)) {
		end--
	}
	return span{from, strings.Clone(old[from : len(old)-end]), strings.Clone(new[from : len(new)-end])}
}

// starts reports whether a character starts at a byte of a text, or the text ends there.
func starts(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }

// undo returns the text before the span was replaced.
func (s span) undo(text string) string {
	return text[:s.at] + s.old + text[s.at+len(s.new):]
}

// join makes one span of s and of t, which was replaced after s, if they touch.
func (s span) join(t span) (span, bool) {
	end, until := s.at+len(s.new), t.at+len(t.old) // both in the text between
	if t.at > end || until < s.at {
		return span{}, false
	}
	old, new := s.old, s.new
	at := s.at
	if t.at < at {
		before := t.old[:at-t.at]
		at, old, new = t.at, before+old, before+new
	}
	if until > end {
		behind := t.old[len(t.old)-(until-end):]
		old, new = old+behind, new+behind
	}
	return span{at, old, new[:t.at-at] + t.new + new[t.at-at+len(t.old):]}, true
}
