package ydoc

import (
	"slices"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// TextEditor stages changes of a text; see [Text.Edit]. Positions are UTF-16 units, between two characters, in the text
// as it is after the changes staged before.
type TextEditor struct {
	staging
	t     *Text
	edits [][]textdiff.Edit // each list on the text that the one before leaves
	text  string            // as staged, once that is needed
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

// Replace puts s in the place of n units from pos.
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

// SetText makes the text what s says, by the smallest edits.
func (e *TextEditor) SetText(s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	e.add(textdiff.Diff(e.String(), s))
	return nil
}

// Merge makes the change from a base text to s on the text as it is now; see [Editor.Merge].
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

// Base returns the text as it was at a revision, of which [TextEditor.Merge] takes a change; [ErrRevisionGone]
// where it is not remembered any more.
func (e *TextEditor) Base(r Revision) (string, error) {
	e.t.refresh()
	return e.t.past.at(r, e.t.rev)
}

const (
	// MaxKey is how many characters one change enters at most that is a key, with what the editor completes. A longer one is
	// a paste, a replacement throughout the text, or a file that was loaded.
	MaxKey = 40
	// maxKeys is how many keys of others a text remembers.
	maxKeys = 256
)

// key is what another client has entered into a text by one change.
type key struct {
	crdt.Added
	at time.Time
}

// noteKeys remembers what others have entered by a change. The server types nothing, it loads the file.
func (t *Text) noteKeys(c *crdt.Change) {
	server, _ := t.state.Writer("path")
	for _, a := range c.Added() {
		if a.Client != t.replica.ClientID() && a.Client != server && a.Units <= MaxKey {
			t.keys = append(t.keys, key{a, time.Now()})
		}
	}
	t.keys = slices.Delete(t.keys, 0, max(0, len(t.keys)-maxKeys))
}

// Typed is a key of another client, and the word of a text in which it is.
type Typed struct {
	Client uint64
	At     time.Time // when the key came
	Word   string    // as it is now; "" where only space was typed
	Line   int       // in which it is, counted from 1
}

// Typed lists the keys of others after a time, the oldest first, in words that the staged changes touch.
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

// word widens a stretch of a text to the words that it touches.
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
