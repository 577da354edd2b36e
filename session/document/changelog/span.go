package changelog

import (
	"strings"
	"unicode/utf8"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

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
