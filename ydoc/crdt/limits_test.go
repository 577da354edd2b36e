package crdt

import (
	"errors"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestDocumentsBeyondTheirLimitsBreak(t *testing.T) {
	a := newSheet(Options{})
	for range 6 {
		a.put(t, 0, strings.Repeat("x", 1000))
	}
	for name, l := range map[string]Limits{"bytes": {DocumentBytes: 4000}, "structs": {Structs: 5}, "clients": {Clients: 1}} {
		b := newSheet(Options{Limits: l})
		if name == "clients" {
			other := newSheet(Options{})
			other.put(t, 0, "x")
			b.take(t, other.whole(t))
		}
		if err := b.Apply(a.whole(t)); !errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestADocumentWithinItsLimitsCanBeJoined fills a document until it breaks: until then a peer with the same limits
// must accept its whole state as one update.
func TestADocumentWithinItsLimitsCanBeJoined(t *testing.T) {
	l := (Limits{}).orDefaults()
	test.Eq(t, l.Wire.Structs, l.Structs)
	test.Eq(t, l.Wire.Clients, l.Clients)
	test.Eq(t, l.Wire.UpdateBytes, l.DocumentBytes)
	for name, change := range map[string]func(l *wire.Limits){
		"structs": func(l *wire.Limits) { l.Structs = 200 },
		"bytes":   func(l *wire.Limits) { l.UpdateBytes = 20_000 },
		"clients": func(l *wire.Limits) { l.Clients = 5 },
	} {
		lim := wire.DefaultLimits
		change(&lim)
		s := newSheet(Options{Limits: Limits{Wire: lim}})
		var state []byte
		var err error
		steps := 0
		for ; err == nil && steps < 1000; steps++ {
			state = s.whole(t)
			if peer := newSheet(Options{Limits: Limits{Wire: lim}}); steps > 0 {
				if err := peer.Apply(state); err != nil {
					t.Fatalf("%s: a state of %d bytes cannot be joined: %v", name, len(state), err)
				}
			}
			writer := newSheet(Options{})
			writer.take(t, state)
			writer.put(t, 0, strings.Repeat("x", 500))
			u, diffErr := writer.Diff(s.vector(t))
			if diffErr != nil {
				t.Fatal(diffErr)
			}
			err = s.Apply(u)
		}
		test.ErrorIs(t, err, ErrBroken, test.Sprint(name))
		test.ErrorIs(t, err, errOversize, test.Sprint(name))
		test.GreaterEq(t, 3, steps, test.Sprint(name))
	}
}
