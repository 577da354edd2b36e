package deps

import (
	"fmt"
	"testing"
)

// State is bounded over all clients, and ends when a client leaves.
func TestPerClient(t *testing.T) {
	var p PerClient[*int]
	first := func() *int { return new(int) }
	p.Forget("nobody")
	p.Each(func(*int) { t.Error("there is somebody") })
	for i := range ClientsKept + 10 {
		p.With("busy", first, func(n *int) { *n++ })
		p.With(fmt.Sprint(i), first, func(*int) {})
	}
	kept := 0
	p.Each(func(*int) { kept++ })
	if kept != ClientsKept {
		t.Errorf("%d clients", kept)
	}
	p.With("busy", first, func(n *int) {
		if *n != ClientsKept+10 {
			t.Errorf("who did something all the time has %d", *n)
		}
	})
	p.Forget("busy")
	p.With("busy", first, func(n *int) {
		if *n != 0 {
			t.Error("not forgotten")
		}
	})
}
