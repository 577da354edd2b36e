package ydoc

import (
	"fmt"

	crdt "github.com/skyterra/y-crdt"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Text is a shared document read as one text. A document that is broken reads as empty: see [Doc.Err].
type Text struct {
	*Doc
	source, state *shared

	stale   bool
	now     string
	rev     Revision
	first   Revision // that of the empty text
	past    past
	archive archive
}

// NewText makes an empty replica under a random client id. It writes nothing.
func NewText() *Text { return NewTextWith(Options{}) }

// NewTextWith is NewText with options.
func NewTextWith(o Options) *Text {
	t := &Text{}
	t.Doc = newDoc(o, t)
	t.source = declare(t.y, rootSource, kindText)
	t.state = declare(t.y, rootState, kindMap)
	t.archive = archive{maxBytes: t.limits.HistoryBytes, maxVersions: t.limits.HistoryVersions}
	t.rev = nextRevision()
	t.first = t.rev
	t.archive.add(&t.past, t.rev, "")
	return t
}

func (t *Text) changed(trans *crdt.Transaction) {
	for typ := range trans.Changed {
		s, ok := typ.(*shared)
		if !ok {
			continue
		}
		t.stale = t.stale || s == t.source
		for ; s != nil && s.noted != t.turn; s = s.parent() {
			s.noted = t.turn
			s.read, s.json = false, nil
		}
	}
}

// refresh reads the text again if it may have changed.
func (t *Text) refresh() {
	if !t.stale {
		return
	}
	t.stale = false
	if s := t.source.characters(); s != t.now {
		t.now = s
		t.rev = nextRevision()
		t.archive.add(&t.past, t.rev, s)
	}
}

// String returns the text.
func (t *Text) String() (s string) {
	t.read("read the text", func() { s = t.source.characters() })
	return s
}

// Revision returns the text's revision, which changes exactly when the text does.
func (t *Text) Revision() (r Revision) {
	t.read("read the revision", func() {
		t.refresh()
		r = t.rev
	})
	return r
}

// Read returns the text and its revision at one moment.
func (t *Text) Read() (s string, r Revision) {
	t.read("read the text", func() {
		t.refresh()
		s, r = t.now, t.rev
	})
	return s, r
}

// Len is the length of the text in UTF-16 units.
func (t *Text) Len() (n int) {
	t.read("measure the text", func() { n = t.source.Length })
	return n
}

// State returns what the server and the tabs say of the document.
func (t *Text) State() (s State) {
	t.read("read the state", func() { s = t.state.documentState() })
	return s
}

func (t *shared) documentState() (s State) {
	s.Path = stringValue(t.get("path"))
	s.Dirty, _ = t.get("dirty").(bool)
	s.Hash = stringValue(t.get("hash"))
	s.DocumentID = stringValue(t.get("document_id"))
	return s
}

// Edit changes the text in one transaction that is known by a name. The rules are those of [Notebook.Edit].
func (t *Text) Edit(name string, fn func(e *TextEditor) error) error {
	return t.do("edit "+name, func() error {
		e := &TextEditor{t: t}
		defer func() { e.t = nil }()
		if err := fn(e); err != nil {
			return err
		}
		if e.err != nil {
			return e.err
		}
		if len(e.edits) == 0 {
			return nil
		}
		t.step(name, func(x *tx) {
			for _, edits := range e.edits {
				x.edit(t.source, edits)
			}
		})
		return t.measure(0)
	})
}

// TextEditor stages changes of a text; see [Text.Edit]. Positions are UTF-16 units, between two characters, in the text
// as it is after the changes staged before; [TextEditor.Offset] finds those of code points.
type TextEditor struct {
	t     *Text
	err   error
	edits [][]textdiff.Edit // each list on the text that the one before leaves
	text  string            // as staged, once that is needed
	read  bool
}

func (e *TextEditor) fail(err error) error {
	if err != nil && e.err == nil {
		e.err = err
	}
	return err
}

// String returns the text as staged.
func (e *TextEditor) String() string {
	if !e.read {
		e.text, e.read = e.t.source.characters(), true
		for _, edits := range e.edits {
			e.text = textdiff.Apply(e.text, edits)
		}
	}
	return e.text
}

// Len is the length of the text as staged.
func (e *TextEditor) Len() int {
	if len(e.edits) == 0 {
		return e.t.source.Length
	}
	return unitsOf(e.String())
}

// Offset is the position in UTF-16 units that has so many code points before it, or the end.
func (e *TextEditor) Offset(codePoints int) int {
	n := 0
	for _, r := range e.String() {
		if codePoints--; codePoints < 0 {
			break
		}
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

// Insert puts s before the unit at pos.
func (e *TextEditor) Insert(pos int, s string) error { return e.Replace(pos, 0, s) }

// Delete removes n units from pos.
func (e *TextEditor) Delete(pos, n int) error { return e.Replace(pos, n, "") }

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
		return e.fail(invalidf("%d units to be deleted", n))
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
	if len(e.edits) > 0 {
		_, err := boundary(e.String(), pos)
		return err
	}
	if pos < 0 || pos > e.t.source.Length {
		return invalidf("position %d is out of range, the text has %d UTF-16 units", pos, e.t.source.Length)
	}
	if item, off := e.t.source.seek(pos); item != nil {
		if c, ok := item.Content.(*text); ok {
			if _, inside := cut(c.b, c.n, off); inside {
				return invalidf("position %d is inside a character", pos)
			}
		}
	}
	return nil
}

func (e *TextEditor) add(edits []textdiff.Edit) {
	if len(edits) == 0 {
		return
	}
	e.edits = append(e.edits, edits)
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

// Rewrite makes the change from the text at revision base to s, on the text as it is now; see [Editor.Rewrite].
func (e *TextEditor) Rewrite(base Revision, s string) error {
	s, err := checkSource(s, e.t.limits)
	if err != nil {
		return e.fail(err)
	}
	e.t.refresh()
	old, ok := e.t.past.at(base)
	if !ok || base > e.t.rev {
		return e.fail(fmt.Errorf("%w: %d", ErrRevisionGone, base))
	}
	edits, err := textdiff.Merge(old, e.String(), s)
	if err != nil {
		return e.fail(conflict(err, "", base, e.t.rev))
	}
	e.add(edits)
	return nil
}
