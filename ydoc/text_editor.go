package ydoc

import (
	"slices"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// TextEditor stages changes of a text; see [Text.Edit]. Positions are UTF-16 units, between two characters, in the
// text after the changes staged so far.
type TextEditor struct {
	staging
	t     *Text
	edits [][]textdiff.Edit // each list applies to the result of the one before
	text  string            // as staged, if read
	read  bool
}

// String returns the text as staged.
func (e *TextEditor) String() string {
	if !e.read {
		e.text, e.read = e.t.source.Characters(), true
		for _, edits := range e.edits {
			e.text = textdiff.Apply(e.text, edits)
		}
	}
	return e.text
}

// Len is the length of the text as staged.
func (e *TextEditor) Len() int {
	if len(e.edits) == 0 {
		return e.t.source.Len()
	}
	return textdiff.UTF16Len(e.String())
}

// Replace replaces n units at pos by s.
func (e *TextEditor) Replace(pos, n int, s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	if err := e.between(pos); err != nil {
		return e.fail(err)
	}
	if n < 0 {
		return e.fail(crdt.Invalidf("%d units to be deleted", n))
	}
	if err := e.between(pos + n); err != nil {
		return e.fail(err)
	}
	if size := e.Len() - n + len(s); size > e.t.limits.TextBytes {
		return e.fail(tooLargef("a text of %d bytes, at most %d are allowed", size, e.t.limits.TextBytes))
	}
	if n > 0 || s != "" {
		e.add([]textdiff.Edit{{Pos: pos, Del: n, Ins: s}})
	}
	return nil
}

// between checks that a position is in range and between two characters.
func (e *TextEditor) between(pos int) error {
	if len(e.edits) == 0 {
		return e.t.source.Boundary(pos)
	}
	_, err := crdt.Boundary(e.String(), pos)
	return err
}

func (e *TextEditor) add(edits []textdiff.Edit) {
	if len(edits) == 0 {
		return
	}
	e.edits = append(e.edits, edits)
	e.ops = append(e.ops, func(x tx) { x.edit(e.t.source, edits) })
	if e.read {
		e.text = textdiff.Apply(e.text, edits)
	}
}

// SetText changes the text to s by the smallest edits.
func (e *TextEditor) SetText(s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	e.add(textdiff.Diff(e.String(), s))
	return nil
}

// Merge applies the change from base to s to the current text; see [Editor.Merge].
func (e *TextEditor) Merge(base, s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	edits, err := carry(base, e.String(), s, ConflictError{})
	if err != nil {
		return e.fail(err)
	}
	e.add(edits)
	return nil
}

// Base returns the text at a revision, as the base of [TextEditor.Merge], or [ErrRevisionGone] if it is no longer
// remembered.
func (e *TextEditor) Base(r Revision) (string, error) {
	e.t.refresh()
	return e.t.past.at(r, e.t.rev)
}

const (
	// MaxKey is the largest number of characters that one change may enter and still count as a key, including the
	// editor's completion. A longer one is a paste, a replacement throughout the text, or a loaded file.
	MaxKey = 40
	// maxKeys is the number of others' keys that a text remembers.
	maxKeys = 256
)

// key is text that another client entered by one change.
type key struct {
	crdt.Added
	at time.Time
}

// noteKeys remembers the text that others entered by a change. The server does not type, it loads the file.
func (t *Text) noteKeys(c *crdt.Change) {
	server, _ := t.state.Writer("path")
	for _, a := range c.Added() {
		if a.Client != t.replica.ClientID() && a.Client != server && a.Units <= MaxKey {
			t.keys = append(t.keys, key{a, time.Now()})
		}
	}
	t.keys = slices.Delete(t.keys, 0, max(0, len(t.keys)-maxKeys))
}

// Typed is a key of another client, and the word around it.
type Typed struct {
	Client uint64
	At     time.Time // when the key came
	Word   string    // its present text; "" if only space was typed
	Line   int       // of the word, counted from 1
}

// Typed returns the keys of others after since, the oldest first, in words that the staged changes touch.
func (e *TextEditor) Typed(since time.Time) (list []Typed) {
	keys := slices.DeleteFunc(slices.Clone(e.t.keys), func(k key) bool { return !k.at.After(since) })
	if len(keys) == 0 || len(e.edits) == 0 {
		return nil
	}
	now := e.t.source.Characters()
	units := utf16.Encode([]rune(now))
	changes := textdiff.Diff(now, e.String())
	for _, k := range keys {
		for _, s := range e.t.source.Where(k.Added) {
			from, to := word(units, s[0], s[1])
			if !slices.ContainsFunc(changes, func(c textdiff.Edit) bool { return c.Pos <= to && from <= c.Pos+c.Del }) {
				continue
			}
			t := Typed{k.Client, k.at, string(utf16.Decode(units[from:to])), 1}
			for _, u := range units[:from] {
				if u == '\n' {
					t.Line++
				}
			}
			list = append(list, t)
		}
	}
	return list
}

// word widens a range to the words that it touches.
func word(units []uint16, from, to int) (int, int) {
	part := func(u uint16) bool {
		r := rune(u)
		return utf16.IsSurrogate(r) || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	for from > 0 && part(units[from-1]) {
		from--
	}
	for to < len(units) && part(units[to]) {
		to++
	}
	return from, to
}
