package ydocs

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// text is a text document (jupyter_ydoc, yunicode.py).
type text struct{ source *crdt.Type }

func (t *text) get() (any, error) { return t.source.Characters(), nil }

func (t *text) steps(content any) []func(*crdt.Tx) error {
	return []func(*crdt.Tx) error{func(x *crdt.Tx) error { return t.set(x, content) }}
}

// similar is the least similarity of two texts for a piecewise change; below it the text is rewritten.
const similar = 0.6

func (t *text) set(x *crdt.Tx, content any) error {
	now, ok := content.(string)
	if !ok {
		return errContent("a text", content)
	}
	was := t.source.Characters()
	if was == now {
		return nil
	}
	edits := textdiff.Diff(was, now)
	deleted := 0
	for _, e := range edits {
		deleted += e.Del
	}
	total := textdiff.UTF16Len(was) + textdiff.UTF16Len(now)
	if kept := textdiff.UTF16Len(was) - deleted; float64(2*kept) < similar*float64(total) {
		rewrite(x, t.source, now)
		return nil
	}
	for _, e := range slices.Backward(edits) {
		x.RemoveText(t.source, e.Pos, e.Del)
		x.InsertText(t.source, e.Pos, e.Ins)
	}
	return nil
}

// rewrite clears a shared text and writes it anew.
func rewrite(x *crdt.Tx, t *crdt.Type, s string) {
	x.RemoveText(t, 0, t.Len())
	x.InsertText(t, 0, s)
}

// blob is a document of bytes, in base64 (jupyter_ydoc, yblob.py).
type blob struct{ source *crdt.Type }

func (b *blob) get() (any, error) {
	s, _ := b.source.Get("bytes").(string)
	return s, nil
}

func (b *blob) steps(content any) []func(*crdt.Tx) error {
	return []func(*crdt.Tx) error{func(x *crdt.Tx) error { return b.set(x, content) }}
}

func (b *blob) set(x *crdt.Tx, content any) error {
	s, ok := content.(string)
	if !ok {
		return errContent("base64", content)
	}
	if !b.source.Has("bytes") || b.source.Get("bytes") != content {
		x.Set(b.source, "bytes", s)
	}
	return nil
}
