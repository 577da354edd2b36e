package toes

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

var bob, eve = Who{"Bob", "bob"}, Who{"Eve", "eve"}

// says is hands off by somebody.
func (b *book) says(who Who, cell string) {
	b.t.Helper()
	if err := HandsOff(b.t.Context(), b, cell, who); err != nil {
		b.t.Fatal(err)
	}
	later(1)
}

// goesOn is go on by somebody, and who still holds.
func (b *book) goesOn(who Who, cell string, present ...string) (still []string) {
	b.t.Helper()
	holds, err := GoOn(b.t.Context(), b, cell, who, present)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, h := range holds {
		still = append(still, h.Username+" "+h.Cell)
	}
	return still
}

func (b *book) refuses(fn func(*ydoc.Editor) error) bool {
	b.t.Helper()
	err := b.edit(b.call(Manners{Force: true, Wait: time.Minute}), fn)
	if err != nil && !errors.As(err, new(*HandsOffError)) {
		b.t.Error(err)
	}
	return err != nil
}

func insertsOne(e *ydoc.Editor) error {
	_, err := e.Insert(0, ydoc.NewCell{Type: ydoc.Code})
	return err
}

// A cell, or a notebook, under somebody's hands is not changed, by force either, in another process neither, nor when the
// cell was moved.
func TestHandsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		other := &book{t: t, nb: b.joins(3, ada)}
		b.says(bob, "a")
		if !b.refuses(sets("a", "mine")) || b.refuses(sets("b", "mine")) || b.refuses(insertsOne) || b.settled == 0 {
			t.Error("of a cell")
		}
		err := b.edit(b.call(Manners{}), sets("a", "mine"))
		for _, want := range []string{`hands_off: Bob has said hands off cell 1 (id "a"), at `, "nothing was written", "until Bob says go on"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in %v", want, err)
			}
		}
		b.edits(other.nb, func(e *ydoc.Editor) error { return e.Move("a", 0) })
		if h := Holds(other.nb); len(h) != 1 || h[0].Cell != "a" || h[0].Name != "Bob" || h[0].Notebook() || !b.refuses(sets("a", "mine")) {
			t.Errorf("%+v", h)
		}
		if still := other.goesOn(bob, "a"); still != nil || b.refuses(sets("a", "mine")) {
			t.Errorf("still %q", still)
		}
		other.says(eve, "")
		if !b.refuses(sets("a", "x")) || !b.refuses(insertsOne) || !b.refuses(func(e *ydoc.Editor) error { return e.SetMetadata("k", 1) }) {
			t.Error("of the notebook")
		}
		if err := b.edit(b.call(Manners{}), insertsOne); !strings.Contains(err.Error(), "hands off this notebook") {
			t.Error(err)
		}
		if still := b.goesOn(eve, "a"); still != nil || b.refuses(insertsOne) {
			t.Error("go on in a cell is for the notebook as well")
		}
	})
}

// Each has a word of their own.
func TestTwoSayHandsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		b.says(bob, "a")
		b.says(eve, "a")
		b.says(eve, "b")
		if still := b.goesOn(bob, "a"); !slices.Equal(still, []string{"eve a"}) || !b.refuses(sets("a", "mine")) {
			t.Errorf("%q", still)
		}
		// Who has said nothing lifts what those said who are gone.
		if still := b.goesOn(bob, "a", "eve", "bob"); !slices.Equal(still, []string{"eve a"}) || !b.refuses(sets("a", "mine")) {
			t.Errorf("%q", still)
		}
		if still := b.goesOn(bob, "a", "bob"); still != nil || b.refuses(sets("a", "mine")) || !b.refuses(sets("b", "mine")) {
			t.Errorf("%q", still)
		}
		b.says(bob, "")
		if still := b.goesOn(eve, ""); !slices.Equal(still, []string{"bob *"}) || len(Holds(b.nb)) != 1 {
			t.Errorf("%q, %+v", still, Holds(b.nb))
		}
	})
}

// What holds for a deleted cell is forgotten, and what others have written there, and is malformed, is no hold.
func TestHoldsThatAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		b.says(bob, "b")
		b.edits(b.nb, func(e *ydoc.Editor) error { return e.Delete("b") })
		if h := Holds(b.nb); len(h) != 0 {
			t.Errorf("%+v", h)
		}
		b.says(eve, "a")
		if n := len(b.nb.StateEntries(prefix)); n != 1 {
			t.Errorf("%d entries", n)
		}
		b.goesOn(eve, "a")
		at := time.Now().Format(time.RFC3339)
		if err := b.nb.SetState(map[string]any{
			prefix + "*:x":  true,
			prefix + "*:y":  map[string]any{"username": "z", "since": at},
			prefix + "*:z":  map[string]any{"username": "z", "since": 3},
			prefix + ":u":   map[string]any{"username": "u", "since": at},
			prefix + "a":    map[string]any{"username": "a", "since": at},
			prefix + "*:":   map[string]any{"since": at},
			prefix + "*:v:": map[string]any{"username": []any{"v"}, "since": at},
		}); err != nil {
			t.Fatal(err)
		}
		if h := Holds(b.nb); len(h) != 0 || b.refuses(sets("a", "mine")) {
			t.Errorf("%+v", h)
		}
		b.says(Who{"A\x1b[31mda\nB", "a:da"}, "a")
		if h := Holds(b.nb); len(h) != 1 || h[0].Username != "a:da" || h[0].Cell != "a" || strings.ContainsAny(h[0].Name, "\x1b\n") {
			t.Errorf("%+v", h)
		}
		if err := HandsOff(t.Context(), b, "a", Who{}); err == nil {
			t.Error("nobody has said it")
		}
	})
}
