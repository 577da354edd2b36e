package session_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// socket is what a person needs of a websocket.
type socket interface {
	ReadMessage() (kind int, b []byte, err error)
	WriteMessage(kind int, b []byte) error
	Close() error
}

// binary is the kind of a binary message (RFC 6455, 11.8).
const binary = 2

// person is somebody in a notebook's room who is no agent: a bare socket that says what the test lets it say, as an
// open tab would.
type person struct {
	t     *testing.T
	nb    *ydoc.Notebook
	table *awareness.Table
	ws    socket
	wg    sync.WaitGroup

	mu sync.Mutex // of writes
}

// personIn lets a person open a notebook.
func personIn(t *testing.T, srv *jupyter.Server, path string) *person {
	t.Helper()
	s, err := srv.CollaborationSession(t.Context(), path, "json", "notebook")
	if err != nil {
		t.Fatal(err)
	}
	ws, err := srv.DialRoom(t.Context(), s.RoomID(), s.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, nb: ydoc.NewNotebook(), ws: ws}
	p.table = awareness.NewTable(p.nb.ClientID())
	p.send(wire.AppendSyncStep1(nil, []byte{0}))
	p.wg.Go(p.read)
	t.Cleanup(func() {
		_ = ws.Close()
		p.wg.Wait()
	})
	sessiontest.Eventually(t, "the person sees the notebook", func() bool { return p.nb.Len() > 0 })
	p.nb.OnUpdate(func(u []byte) { p.send(wire.AppendUpdate(nil, u)) })
	return p
}

func (p *person) send(frame []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ws.WriteMessage(binary, frame); err != nil {
		p.t.Errorf("a person cannot speak: %v", err)
	}
}

func (p *person) read() {
	for {
		_, b, err := p.ws.ReadMessage()
		if err != nil {
			return
		}
		f, err := wire.ParseFrame(b, wire.DefaultLimits)
		if err != nil {
			p.t.Errorf("a person was sent %v", err)
			return
		}
		switch f.Kind {
		case wire.SyncStep2, wire.Update:
			err = p.nb.Apply(f.Payload)
		case wire.Awareness:
			_, err = p.table.Apply(f.Payload, time.Now())
		}
		if err != nil {
			p.t.Errorf("a person was sent %v", err)
			return
		}
	}
}

// show announces an awareness state.
func (p *person) show(state any) {
	p.t.Helper()
	u, err := p.table.SetLocal(state)
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(wire.AppendAwareness(nil, u))
}

// insertPlainCell puts a cell that is a plain object into the room, as a careless program would; the server cannot write
// it.
func (p *person) insertPlainCell() {
	p.t.Helper()
	state, err := p.nb.Diff([]byte{0})
	if err != nil {
		p.t.Fatal(err)
	}
	doc := crdt.New(crdt.Options{})
	cells := doc.Root("cells", crdt.KindArray)
	if err := doc.Apply(state); err != nil {
		p.t.Fatal(err)
	}
	before, err := doc.StateVector()
	if err != nil {
		p.t.Fatal(err)
	}
	doc.Transact(func(x *crdt.Tx) {
		x.InsertValue(cells, cells.Len(), map[string]any{
			"id": "plain", "cell_type": "code", "source": "careless", "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil,
		})
	})
	update, err := doc.Diff(before)
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(wire.AppendUpdate(nil, update))
}

// hears tells whether the person is told of somebody whose state asks for saves, or of somebody whose state does not.
func (p *person) hears(autosave bool) bool {
	return slices.ContainsFunc(p.table.Peers(), func(st awareness.State) bool {
		_, user := st.User()
		return user && st.Autosave() == autosave
	})
}

// switchesAutosaveOff shows the person, Ada, with autosave off, and waits until the document knows her and the agent
// does not ask for saves either: the server has to know as well, before any edit. It returns the state shown.
func (p *person) switchesAutosaveOff(d *session.Document) map[string]any {
	p.t.Helper()
	state := map[string]any{
		"autosave": false,
		"user":     map[string]any{"username": "ada", "name": "Ada", "display_name": "Ada", "initials": "A", "color": "#888"},
	}
	p.show(state)
	sessiontest.Eventually(p.t, "Ada is seen", func() bool { return len(d.People()) == 1 })
	sessiontest.Eventually(p.t, "the agent is heard not to ask for saves either", func() bool { return p.hears(false) })
	return state
}
