package rtc

import (
	"slices"
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
