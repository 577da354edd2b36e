package rtc

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// presence is our own state in a room's awareness.
type presence struct {
	cursors  []awareness.Cursor
	autosave bool // as last announced
}

// localState is our awareness state in a document's room: JupyterLab's shape and one key of our own, by which agents
// recognise one another. JupyterLab ignores keys that it does not know.
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
	Current  string // the document they look at, "notebook:<path>"; known in the lobby only
	Autosave bool   // true if the state does not say, as for the server
	Agent    bool   // an agent such as this program, not a person
	// ActiveCell is the cell that their notebook has selected, and ActivePath that notebook's path; "" where the tab does
	// not say.
	ActiveCell, ActivePath string
	// Moved is when they last moved their caret, or typed; zero if they have not since we know them.
	Moved time.Time
}

// Peers lists the other people and agents in the room, in the order of their client ids. A peer that joined before us
// is listed once its client renews its state, see [Room.Since]; one that was silent for [awareness.Timeout] is not listed
// any more.
func (r *Room) Peers() []Peer { return peersIn(r.table) }

// peersIn are the peers that are in a table now. Those who have gone without a word are looked for here, because nothing
// need come over the connection when their time is over, and there may be no connection.
func peersIn(table *awareness.Table) []Peer {
	table.Expire(time.Now())
	var peers []Peer
	for _, s := range table.Peers() {
		u, ok := s.User()
		if !ok {
			continue // the server's own entry, for one
		}
		p := Peer{
			ClientID: s.ClientID, User: u, Cursors: s.Cursors(), Current: s.Current(), Autosave: s.Autosave(),
			Agent: s.Agent() == agentName, Moved: s.Changed,
		}
		p.ActiveCell, p.ActivePath = s.Active()
		peers = append(peers, p)
	}
	return peers
}

// Since is when the connection came into step over which the others are heard; zero while there is none. The server does
// not tell a newcomer who is there: those who are, are known when each has announced itself once more.
func (r *Room) Since() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != Synced {
		return time.Time{}
	}
	return r.since
}

// AutosaveOff reports whether there are people in the room and all of them have switched autosave off: then only they
// decide when the file is written.
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

// SetCursors shows our carets and selections to the others; all of them are in one cell. Without cursors it removes
// them.
func (r *Room) SetCursors(cursors ...awareness.Cursor) {
	r.mu.Lock()
	r.presence.cursors = cursors
	r.mu.Unlock()
	r.publish()
}

// publish announces our state. Its autosave flag follows the people's: the server saves by itself if one state in the
// room says so, and our flag must not turn on what people have turned off. Before we can know of them, which takes until
// their next announcement, it is off as long as we have edited nothing. Without people it is on: the server keeps our
// state long after a lost connection, and with the flag off it would never write the edits that it has confirmed.
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
	return on || !people && (r.edited.Load() || time.Since(r.joined) > r.cfg.Timing.Renew*3/2)
}

// maxMet bounds the clients of whom it is remembered who they were.
const maxMet = 1_024

// acquaintances remember who the clients of a room said they were.
type acquaintances struct {
	table *awareness.Table
	all   time.Time // when all who are in the room have said so
	known sync.Mutex
	peers map[uint64]Peer
	order []uint64 // first met first
}

// meet remembers those of the clients who are in the room.
func (m *acquaintances) meet(clients []uint64) {
	peers := peersIn(m.table)
	m.known.Lock()
	defer m.known.Unlock()
	if m.peers == nil {
		m.peers = map[uint64]Peer{}
	}
	for _, p := range peers {
		if !slices.Contains(clients, p.ClientID) {
			continue
		}
		if _, known := m.peers[p.ClientID]; !known {
			m.order = append(m.order, p.ClientID)
		}
		m.peers[p.ClientID] = Peer{ClientID: p.ClientID, User: p.User, Agent: p.Agent}
		if len(m.order) > maxMet {
			delete(m.peers, m.order[0])
			m.order = m.order[1:]
		}
	}
}

// Named is what a client is called that is in the room, or was, and whether it is an agent, as it said while it was
// there; false if it did not.
func (m *acquaintances) Named(client uint64) (name string, agent, ok bool) {
	m.known.Lock()
	defer m.known.Unlock()
	p, ok := m.peers[client]
	return cmp.Or(p.User.DisplayName, p.User.Name), p.Agent, ok
}

// Sole is the only other client in the room. It is false if there are several, or none, or if there may be some who came
// before us and of whom we have not heard yet.
func (m *acquaintances) Sole() (client uint64, ok bool) {
	if time.Now().Before(m.all) {
		return 0, false
	}
	peers := peersIn(m.table)
	if len(peers) != 1 {
		return 0, false
	}
	return peers[0].ClientID, true
}

// onAwareness takes in the states of others.
func (r *Room) onAwareness(update []byte) {
	changed, err := r.table.Apply(update, time.Now())
	if err != nil {
		r.log.Warn("room sent a malformed awareness update", "path", r.Path(), "error", err)
		return
	}
	if slices.Contains(changed, r.cfg.Replica.ClientID()) {
		r.publish() // somebody has changed our state
	}
	if len(changed) > 0 {
		r.meet(changed)
		r.peersChanged()
	}
}

// peersChanged announces us again if the people's autosave flags change ours.
func (r *Room) peersChanged() {
	want := r.wantAutosave()
	r.mu.Lock()
	same := want == r.presence.autosave
	r.mu.Unlock()
	if !same {
		r.publish()
	}
}

// goodbye is the awareness frame that removes us from the room at once; without it the others see our caret for another
// 30 seconds.
func (r *Room) goodbye() []byte {
	update, err := r.table.SetLocal(nil)
	if err != nil {
		return nil
	}
	return wire.AppendAwareness(nil, update)
}
