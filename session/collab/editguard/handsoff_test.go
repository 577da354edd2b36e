package editguard

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

var bob, eve = Who{"Bob", "bob"}, Who{"Eve", "eve"}

// says makes a person say hands off.
func (b *book) says(who Who, cell string) {
	b.t.Helper()
	if err := HandsOff(b.t.Context(), b, cell, who); err != nil {
		b.t.Fatal(err)
	}
	later(1)
}

// goesOn makes a person say go on, and returns the people whose holds remain.
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

// A cell or notebook with a hold is not changed, not even by force, in another process, or after the cell was moved.
func TestHandsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		other := &book{t: t, nb: b.joins(3, ada)}
		b.says(bob, "a")
		test.True(t, b.refuses(sets("a", "mine")), test.Sprint("of a cell"))
		test.False(t, b.refuses(sets("b", "mine")), test.Sprint("of a cell"))
		test.False(t, b.refuses(insertsOne), test.Sprint("of a cell"))
		test.NotEq(t, 0, b.settled, test.Sprint("of a cell"))
		err := b.edit(b.call(Manners{}), sets("a", "mine"))
		for _, want := range []string{`hands_off: Bob said hands off cell 1 (id "a"), at `, "nothing was written", "until Bob says go on"} {
			must.Error(t, err)
			test.StrContains(t, err.Error(), want)
		}
		b.edits(other.nb, func(e *ydoc.Editor) error { return e.Move("a", 0) })
		h := Holds(other.nb)
		must.SliceLen(t, 1, h)
		test.Eq(t, "a", h[0].Cell)
		test.Eq(t, "Bob", h[0].Name)
		test.False(t, h[0].Notebook())
		test.True(t, b.refuses(sets("a", "mine")))
		still := other.goesOn(bob, "a")
		must.Nil(t, still)
		test.False(t, b.refuses(sets("a", "mine")))
		other.says(eve, "")
		test.True(t, b.refuses(sets("a", "x")), test.Sprint("of the notebook"))
		test.True(t, b.refuses(insertsOne), test.Sprint("of the notebook"))
		test.True(t, b.refuses(func(e *ydoc.Editor) error { return e.SetMetadata("k", 1) }), test.Sprint("of the notebook"))
		if err := b.edit(b.call(Manners{}), insertsOne); !strings.Contains(err.Error(), "hands off this notebook") {
			t.Error(err)
		}
		still = b.goesOn(eve, "a")
		must.Nil(t, still, must.Sprint("go on in a cell is for the notebook as well"))
		test.False(t, b.refuses(insertsOne), test.Sprint("go on in a cell is for the notebook as well"))
	})
}

// A hold in a cell's metadata stays with the file: no "go on" lifts it, and the agent cannot remove it.
func TestHandsOffInTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		metadata map[string]any
		says     []string // nil for no hold
	}{
		"of a person": {map[string]any{"hands_off": map[string]any{"name": "Ada\nL", "since": "2026-11-28T09:00:00Z"}}, []string{`hands_off: Ada L keeps agents out of cell 0 (id "a") since 2026-11-2`, "nothing was written", "removes hands_off"}},
		"true":        {map[string]any{"hands_off": true}, []string{`hands_off: a person keeps agents out of cell 0 (id "a"), in its metadata`}},
		"odd":         {map[string]any{"hands_off": map[string]any{"name": 7, "since": "soon"}}, []string{"hands_off: a person keeps agents out"}},
		"false":       {map[string]any{"hands_off": false}, nil},
		"null":        {map[string]any{"hands_off": nil}, nil},
		"of others":   {map[string]any{"other": true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBook(t)
				b.edits(b.joins(3, ada), func(e *ydoc.Editor) error { return e.SetCellMetadata("a", "nbduet", c.metadata) })
				later(1)
				for _, fn := range []func(*ydoc.Editor) error{
					sets("a", "mine"),
					func(e *ydoc.Editor) error { return e.Move("a", 1) },
					func(e *ydoc.Editor) error { return e.SetCellMetadata("a", "nbduet", nil) },
					func(e *ydoc.Editor) error { return e.Delete("a") },
				} {
					err := b.edit(b.call(Manners{Force: true}), fn)
					test.Eq(t, c.says != nil, errors.As(err, new(*HandsOffError)))
					for _, want := range c.says {
						test.StrContains(t, fmt.Sprint(err), want)
					}
				}
				if c.says != nil {
					test.Nil(t, b.goesOn(bob, ""))
					test.True(t, b.refuses(sets("a", "mine")))
				}
				test.False(t, b.refuses(sets("b", "mine")))
			})
		})
	}
}

// Each person has a separate hold.
func TestTwoSayHandsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		b.says(bob, "a")
		b.says(eve, "a")
		b.says(eve, "b")
		still := b.goesOn(bob, "a")
		test.SliceEqOp(t, []string{"eve a"}, still)
		test.True(t, b.refuses(sets("a", "mine")))
		// A person without a hold lifts the holds of people who have left.
		still = b.goesOn(bob, "a", "eve", "bob")
		test.SliceEqOp(t, []string{"eve a"}, still)
		test.True(t, b.refuses(sets("a", "mine")))
		still = b.goesOn(bob, "a", "bob")
		must.Nil(t, still)
		test.False(t, b.refuses(sets("a", "mine")))
		test.True(t, b.refuses(sets("b", "mine")))
		b.says(bob, "")
		still = b.goesOn(eve, "")
		test.SliceEqOp(t, []string{"bob *"}, still)
		test.SliceLen(t, 1, Holds(b.nb))
	})
}

// Holds on deleted cells are removed, and malformed entries from other clients are ignored.
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
		h := Holds(b.nb)
		must.SliceEmpty(t, h)
		test.False(t, b.refuses(sets("a", "mine")))
		b.says(Who{"A\x1b[31mda\nB", "a:da"}, "a")
		h = Holds(b.nb)
		must.SliceLen(t, 1, h)
		test.Eq(t, "a:da", h[0].Username)
		test.Eq(t, "a", h[0].Cell)
		test.False(t, strings.ContainsAny(h[0].Name, "\x1b\n"))
		if err := HandsOff(t.Context(), b, "a", Who{}); err == nil {
			t.Error("nobody has said it")
		}
	})
}

// stops writes the value that a tab writes when a person presses Stop, with some members replaced.
func (b *book) stops(who Who, cell string, with map[string]any) {
	b.t.Helper()
	entry := map[string]any{"name": who.Name, "username": who.Username, "since": time.Now().Format(time.RFC3339), "stop": true}
	maps.Copy(entry, with)
	if err := b.nb.SetState(map[string]any{prefix + cell + ":" + who.Username: entry}); err != nil {
		b.t.Fatal(err)
	}
}

// Stop holds the notebook as hands off does, under its own code, until the person says go on.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t)
		b.stops(bob, whole, nil)
		later(1)
		at := time.Now().Add(-time.Second).Format("15:04:05")
		for _, fn := range []func(*ydoc.Editor) error{
			sets("a", "mine"),
			insertsOne,
			func(e *ydoc.Editor) error { return e.SetMetadata("k", 1) },
		} {
			err := b.edit(b.call(Manners{Force: true, Wait: time.Minute}), fn)
			var off *HandsOffError
			must.True(t, errors.As(err, &off))
			test.Eq(t, CodeStopped, off.Kind())
			for _, want := range []string{
				"stopped_by: Bob pressed Stop in this notebook, at " + at, "nothing was written",
				`until Bob presses "Go on" in the tab or says go on in it or in its chat`, "work elsewhere, or ask them",
			} {
				test.StrContains(t, err.Error(), want)
			}
		}
		stops := Stops(b.nb)
		must.SliceLen(t, 1, stops)
		test.Eq(t, "Bob pressed Stop in this notebook, at "+at, stops[0].Pressed())
		test.SliceEmpty(t, Stops(nil))
		test.SliceEqOp(t, []string{"bob *"}, b.goesOn(eve, "a", "bob"))
		test.Nil(t, b.goesOn(bob, "a"))
		test.SliceEmpty(t, Stops(b.nb))
		test.False(t, b.refuses(sets("a", "mine")))
	})
}

// Any other value than true for "stop", and Stop for a cell, is an ordinary hold.
func TestMalformedStop(t *testing.T) {
	for name, c := range map[string]struct {
		cell string
		stop any
	}{
		"text":    {whole, "yes"},
		"number":  {whole, 1},
		"false":   {whole, false},
		"null":    {whole, nil},
		"list":    {whole, []any{true}},
		"of cell": {"a", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBook(t)
				b.stops(bob, c.cell, map[string]any{"stop": c.stop})
				later(1)
				err := b.edit(b.call(Manners{}), sets("a", "mine"))
				must.Error(t, err)
				test.StrHasPrefix(t, "hands_off: Bob said hands off", err.Error())
				test.SliceEmpty(t, Stops(b.nb))
				test.SliceLen(t, 1, Holds(b.nb))
			})
		})
	}
}
