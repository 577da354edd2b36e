package changelog

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

// Text that a person typed into a cell while it was moved here is carried over to the new place, and is still theirs.
func TestCarriedText(t *testing.T) {
	for name, text := range map[string]string{
		"typed":    "one\ntwo\nthree!",
		"deleted":  "one\nthree",
		"replaced": "one\n2\nthree",
	} {
		t.Run(name, func(t *testing.T) {
			nb, person := ydoc.NewNotebookWith(ydoc.Options{ClientID: 1}), ydoc.NewNotebookWith(ydoc.Options{ClientID: 2})
			edits(t, nb, func(e *ydoc.Editor) error { _, err := e.Insert(0, two...); return err })
			exchange(t, nb, person)
			l := New(nb, crowd{2: true})
			r := l.Seal()
			as(t, l, nb, "me", func(e *ydoc.Editor) error { return e.Move("a", 1) })
			edits(t, person, setSource("a", text))
			exchange(t, person, nb) // in this order: a replica that has a move does not pass on the old place's content
			if c, _ := nb.Cell("a"); c.Source != text {
				t.Fatalf("%q was not carried over", c.Source)
			}
			changes := since(t, l, r)
			must.SliceLen(t, 2, changes)
			must.True(t, changes[0].Who.Is("me"))
			must.Eq(t, 0, changes[0].Kinds&^placed)
			c := changes[1]
			test.Eq(t, Edited, c.Kinds)
			test.False(t, c.Who.Ours)
			test.False(t, c.Who.Unknown)
			must.SliceLen(t, 1, c.Who.Clients)
			test.Eq(t, 2, c.Who.Clients[0])
		})
	}
}

// exchange syncs two replicas.
func exchange(t *testing.T, a, b *ydoc.Notebook) {
	t.Helper()
	for _, way := range [][2]*ydoc.Notebook{{a, b}, {b, a}, {a, b}} {
		have, err := way[1].StateVector()
		if err != nil {
			t.Fatal(err)
		}
		u, err := way[0].Diff(have)
		if err != nil {
			t.Fatal(err)
		}
		if err := way[1].Apply(u); err != nil {
			t.Fatal(err)
		}
	}
}
