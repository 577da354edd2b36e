package rtc

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// presence is our own state in a room's awareness.
type presence struct {
	cursors  []awareness.Cursor
	autosave bool // as last announced
	further  map[string]json.RawMessage
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
	st := withFurther{localState{Autosave: on, User: r.cfg.User, Cursors: r.presence.cursors, Agent: agentName}, r.presence.further}
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

// SetFurther adds a key to our own awareness state in the room, or removes it with nil: what extensions of JupyterLab look
// for in the states of the others, such as who is writing in a chat. The value is kept as the JSON that it is now. A key
// of the state itself wins over one of these.
func (r *Room) SetFurther(key string, value any) error {
	var raw json.RawMessage
	if value != nil {
		b, err := json.Marshal(value)
		if err != nil {
			return err
		}
		raw = b
	}
	r.mu.Lock()
	further := maps.Clone(r.presence.further)
	if raw == nil {
		delete(further, key)
	} else {
		if further == nil {
			further = map[string]json.RawMessage{}
		}
		further[key] = raw
	}
	r.presence.further = further // a new map: publish encodes the one before it unlocked
	r.mu.Unlock()
	r.publish()
	return nil
}

// withFurther is a state with further keys.
type withFurther struct {
	state   any
	further map[string]json.RawMessage
}

// MarshalJSON writes both as one object.
func (w withFurther) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(w.state)
	if err != nil || len(w.further) == 0 {
		return b, err
	}
	all := maps.Clone(w.further)
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}
