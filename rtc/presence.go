package rtc

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// presence is what we show of ourselves in a room.
type presence struct {
	cursors  []awareness.Cursor
	autosave bool // as last announced
}

// localState is our awareness state in a document's room: JupyterLab's shape,
// and one key of our own, by which agents know one another. Keys that
// JupyterLab does not know it passes over.
type localState struct {
	Autosave bool               `json:"autosave"`
	User     awareness.User     `json:"user"`
	Cursors  []awareness.Cursor `json:"cursors,omitempty"`
	Agent    string             `json:"agent"`
}

// agentName is the value of the key that marks an agent's state.
const agentName = "nbduet"

// Peer is somebody else in a room.
type Peer struct {
	ClientID uint64
	User     awareness.User
	Cursors  []awareness.Cursor
	Current  string // what is in front of them, "notebook:<path>"; known in the lobby only
	Autosave bool   // a state that does not say counts as true, as it does for the server
	Agent    bool   // an agent like ourselves, not a person
}

// Peers lists who else is in the room, people and agents, in the order of
// their client ids. Somebody who was there before us is heard of when his
// client next renews its state, which takes up to 15 seconds.
func (r *Room) Peers() []Peer {
	return parsePeers(r.table.Peers())
}

func parsePeers(states []awareness.State) []Peer {
	var peers []Peer
	for _, s := range states {
		u, ok := s.User()
		if !ok {
			continue // the server's own entry, for one
		}
		var st struct {
			Agent string `json:"agent"`
		}
		// A key of another type than ours is not ours.
		agent := json.Unmarshal(s.Raw, &st) == nil && st.Agent == agentName
		peers = append(peers, Peer{
			ClientID: s.ClientID, User: u, Cursors: s.Cursors(), Current: s.Current(), Autosave: s.Autosave(), Agent: agent,
		})
	}
	return peers
}

// AutosaveOff reports whether there are people in the room and all of them
// have switched autosave off: then nobody but they decides when the file is
// written.
func (r *Room) AutosaveOff() bool {
	people, on := r.autosaves()
	return people && !on
}

func (r *Room) autosaves() (people, on bool) {
	for _, p := range r.Peers() {
		if !p.Agent {
			people = true
			on = on || p.Autosave
		}
	}
	return people, on
}

// SetCursors shows our carets and selections to the others, all of them in one
// cell; none takes them away.
func (r *Room) SetCursors(cursors ...awareness.Cursor) {
	r.mu.Lock()
	r.presence.cursors = cursors
	r.mu.Unlock()
	r.publish()
}

// publish announces our state. Its autosave flag mirrors the people's: the
// server saves by itself as long as one state in the room says so, and a flag
// of ours must not turn on what they turned off. With no people, or none heard
// of yet, it says yes: the server takes our state for present long after our
// connection is lost, and with a no it would never write the edits that it had
// confirmed to us before.
func (r *Room) publish() {
	on := r.wantAutosave()
	r.mu.Lock()
	r.presence.autosave = on
	st := localState{Autosave: on, User: r.cfg.User, Cursors: r.presence.cursors, Agent: agentName}
	r.mu.Unlock()
	update, err := r.table.SetLocal(st)
	if err != nil {
		// Only a cursor that is not JSON can do this.
		r.log.Warn("cannot announce our presence", "path", r.Path(), "error", err)
		return
	}
	r.out.setAwareness(wire.AppendAwareness(nil, update))
}

func (r *Room) wantAutosave() bool {
	people, on := r.autosaves()
	return on || !people
}

// onAwareness takes what others say of themselves.
func (r *Room) onAwareness(update []byte) {
	changed, err := r.table.Apply(update, time.Now())
	if err != nil {
		r.log.Warn("room sent a malformed awareness update", "path", r.Path(), "error", err)
		return
	}
	if slices.Contains(changed, r.cfg.Replica.ClientID()) {
		r.publish() // somebody has spoken in our name
	}
	if len(changed) > 0 {
		r.peersChanged()
	}
}

// peersChanged announces us again when the people's autosave flags ask for
// another one of ours.
func (r *Room) peersChanged() {
	want := r.wantAutosave()
	r.mu.Lock()
	same := want == r.presence.autosave
	r.mu.Unlock()
	if !same {
		r.publish()
	}
}

// goodbye is the awareness frame that takes us out of the room at once;
// without it the others would see our caret for another 30 seconds.
func (r *Room) goodbye() []byte {
	update, err := r.table.SetLocal(nil)
	if err != nil {
		return nil
	}
	return wire.AppendAwareness(nil, update)
}
