package session_test

import (
	"slices"
	"testing"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// insertPlainCell inserts a cell that is a plain object into the room, as a faulty program would; the server cannot write
// it.
func insertPlainCell(t *testing.T, p *sessiontest.Person) {
	t.Helper()
	state, err := p.Notebook.Diff([]byte{0})
	if err != nil {
		t.Fatal(err)
	}
	doc := crdt.New(crdt.Options{})
	cells := doc.Root("cells", crdt.KindArray)
	if err := doc.Apply(state); err != nil {
		t.Fatal(err)
	}
	before, err := doc.StateVector()
	if err != nil {
		t.Fatal(err)
	}
	doc.Transact(func(x *crdt.Tx) {
		x.InsertValue(cells, cells.Len(), map[string]any{
			"id": "plain", "cell_type": "code", "source": "careless", "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil,
		})
	})
	update, err := doc.Diff(before)
	if err != nil {
		t.Fatal(err)
	}
	p.Send(wire.AppendUpdate(nil, update))
}

// asksForSaves reports whether the person receives a state that asks for saves.
func asksForSaves(p *sessiontest.Person) bool {
	return slices.ContainsFunc(p.Seen.Peers(), func(st awareness.State) bool {
		_, user := st.User()
		return (user || st.Agent() != "") && st.Autosave()
	})
}

// switchesAutosaveOff shows the person, Ada, with autosave off, and waits until the document knows her and the agent does
// not ask for saves either: the server has to know as well, before any edit. It returns the state shown.
func switchesAutosaveOff(t *testing.T, p *sessiontest.Person, d *session.Document) map[string]any {
	t.Helper()
	state := map[string]any{
		"autosave": false,
		"user":     map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada", "initials": "A", "color": "#888"},
	}
	p.Show(state)
	sessiontest.Eventually(t, "Ada is seen", func() bool {
		return slices.ContainsFunc(d.Company().People, func(one people.Person) bool { return one.Places[0].Client == p.Notebook.ClientID() })
	})
	d.Point(sessiontest.AsClient(t.Context()), "c0", 0) // announces the agent at once to Ada, who joined after it
	sessiontest.Eventually(t, "the agent is heard not to ask for saves either", func() bool {
		return slices.ContainsFunc(p.Seen.Peers(), func(st awareness.State) bool {
			return st.Replica() == d.Notebook().ClientID() && !st.Autosave()
		})
	})
	return state
}
