package changelog

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

// A bout of typing continues across seals, and ends with a rest. Runs and moves are not bouts, even when they are combined
// with one.
func TestBouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nb, person, l := pair(t, two...)
		from := func() time.Time { return time.Now().Add(-rest) }
		edits(t, person, setSource("b", "old"))
		time.Sleep(rest)
		began := time.Now()
		edits(t, person, setSource("b", "old = a"))
		l.Seal()
		time.Sleep(rest - time.Second)
		as(t, l, nb, "me", setSource("b", "# me\nold = a"))
		edits(t, person, setSource("b", "# me\nold = ax"))
		typed := time.Now()
		time.Sleep(time.Second)
		edits(t, person, func(e *ydoc.Editor) error { return e.StartRun("b") })
		got := l.Lately("b", from())
		must.SliceLen(t, 2, got)
		test.Eq(t, 2, got[0].Who.Clients[0])
		test.True(t, got[0].Begun.Equal(began))
		test.True(t, got[0].Last.Equal(typed))
		test.Eq(t, "= a … x", got[0].Typed)
		test.True(t, got[1].Who.Is("me"))
		for range 4 { // outputs do not count as typing
			time.Sleep(2 * time.Second)
			edits(t, person, func(e *ydoc.Editor) error { return e.AppendStream("b", "stdout", "line") })
		}
		edits(t, person, func(e *ydoc.Editor) error { return e.Move("b", 0) })
		if got := l.Lately("b", from()); len(got) != 0 {
			t.Errorf("%+v", got)
		}
		again := time.Now()
		edits(t, person, setSource("b", "# me\nold = axy"))
		got = l.Lately("b", from())
		must.SliceLen(t, 1, got)
		test.True(t, got[0].Begun.Equal(again))
		test.Nil(t, l.Lately("a", from()))
	})
}

// Text that a person types in one place is one edit, regardless of seals in between; text in between was not typed.
func TestTypedAcrossSeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, person, l := pair(t, two...)
		typed := func(want string, sources ...string) {
			t.Helper()
			for _, s := range sources {
				edits(t, person, setSource("b", s))
				l.Seal()
			}
			got := l.Lately("b", time.Now().Add(-rest))
			must.SliceNotEmpty(t, got)
			test.Eq(t, want, got[0].Typed)
			time.Sleep(2 * rest)
		}
		edits(t, person, setSource("b", ""))
		time.Sleep(2 * rest)
		typed("plot the sales", "p", "pl", "plo", "plot", "plot ", "plot the sa", "plot the sales")
		typed("# … s", "# plot the sales", "# plot the saless")
	})
}
