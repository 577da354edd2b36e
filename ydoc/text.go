package ydoc

import "github.com/nbduet/nbduet/ydoc/crdt"

// Text is a shared document read as one text. A broken document reads as empty: see [Doc.Err].
type Text struct {
	*Doc
	source *crdt.Type

	stale   bool
	now     string
	rev     Revision
	first   Revision // revision of the empty text
	past    past
	archive archive
	keys    []key // typed by others, the oldest first
}

// NewText makes an empty replica under a random client id. It writes nothing.
func NewText() *Text { return NewTextWith(Options{}) }

// NewTextWith is NewText with options.
func NewTextWith(o Options) *Text {
	t := &Text{}
	t.Doc = newDoc(o, t)
	t.source = t.replica.Root(rootSource, crdt.KindText)
	t.archive = archive{maxBytes: t.limits.HistoryBytes, maxVersions: t.limits.HistoryVersions}
	t.rev = nextRevision()
	t.first = t.rev
	t.archive.add(&t.past, t.rev, "")
	return t
}

func (t *Text) changed(c *crdt.Change) {
	if c.Has(t.source) {
		t.stale = true
		t.noteKeys(c)
	}
}

// revert undoes a step; a text needs no special handling.
func (t *Text) revert(v *crdt.Revert, _ *Step, _ *Undone) { v.Run() }

// refresh reads the text again if it may have changed.
func (t *Text) refresh() {
	if !t.stale {
		return
	}
	t.stale = false
	if s := t.source.Characters(); s != t.now {
		t.now = s
		t.rev = nextRevision()
		t.archive.add(&t.past, t.rev, s)
	}
}

// String returns the text.
func (t *Text) String() (s string) {
	t.read("read the text", func() { s = t.source.Characters() })
	return s
}

// Revision returns the text's revision, which changes exactly when the text does.
func (t *Text) Revision() Revision {
	_, r := t.Read()
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

// At returns the text at a revision, or [ErrRevisionGone] if it is no longer remembered.
func (t *Text) At(r Revision) (s string, err error) {
	t.read("read an earlier text", func() {
		t.refresh()
		s, err = t.past.at(r, t.rev)
	})
	return s, err
}

// Len is the length of the text in UTF-16 units.
func (t *Text) Len() (n int) {
	t.read("measure the text", func() { n = t.source.Len() })
	return n
}

// Edit changes the text in one transaction; errors include name. The rules are those of [Notebook.Edit].
func (t *Text) Edit(name string, fn func(e *TextEditor) error) error {
	_, err := t.edit(name, false, fn)
	return err
}

// Record is [Text.Edit] for an edit that can be undone: it returns the step, nil if nothing changed.
func (t *Text) Record(name string, fn func(e *TextEditor) error) (*Step, error) {
	return t.edit(name, true, fn)
}

func (t *Text) edit(name string, record bool, fn func(e *TextEditor) error) (*Step, error) {
	e := &TextEditor{t: t}
	defer func() { e.t = nil }()
	return t.Doc.edit(name, &e.staging, func() (bool, error) { return record, fn(e) })
}

func (t *Text) changesSince(r Revision) Changes {
	t.refresh()
	return Changes{From: r, To: t.rev, Complete: r >= t.first && r <= t.rev, Text: t.rev > r}
}
