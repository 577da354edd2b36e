package changelog

import (
	"testing"

	"github.com/nbduet/nbduet/ydoc"
)

// named is people, some of whom have identified themselves.
type named map[uint64]string

func (n named) Named(client uint64) (name string, agent, ok bool) {
	name, ok = n[client]
	return name, false, ok
}

func (named) Sole() (uint64, bool) { return 0, false }

// Outputs from an unknown client, while the server runs a cell for a client, belong to the client. Texts do not, nor do
// changes by known people, or before and after the run.
func TestServed(t *testing.T) {
	_, server, l := pair(t, two...)
	var served Served
	l.Serves(&served)
	put := func(cell, text string) (of Who) {
		r := l.Seal()
		edits(t, server, func(e *ydoc.Editor) error { return e.AppendStream(cell, "stdout", text) })
		return since(t, l, r)[0].Who
	}
	l.people = named{}
	end, again := served.Begin("a", "me"), served.Begin("a", "other")
	if who := put("a", "1"); !who.Is("me") {
		t.Errorf("%+v", who)
	}
	r := l.Seal()
	edits(t, server, func(e *ydoc.Editor) error { return e.ClearOutputs("a") })
	if who := since(t, l, r)[0].Who; !who.Is("me") {
		t.Errorf("%+v", who)
	}
	if who := put("b", "1"); who.Ours {
		t.Errorf("another cell: %+v", who)
	}
	r = l.Seal()
	edits(t, server, setSource("a", "typed"))
	if who := since(t, l, r)[0].Who; who.Ours {
		t.Errorf("its text: %+v", who)
	}
	l.people = named{2: "Ada"}
	if who := put("a", "2"); who.Ours {
		t.Errorf("somebody known: %+v", who)
	}
	l.people = named{}
	end()
	if who := put("a", "3"); !who.Is("other") {
		t.Errorf("%+v", who)
	}
	again()
	if who := put("a", "4"); who.Ours {
		t.Errorf("after the run: %+v", who)
	}
}
