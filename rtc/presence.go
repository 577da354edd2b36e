package rtc

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// News of faces wait for what comes with them, and then rest: they go out at most four times a second.
const (
	faceWait = time.Second / 20
	faceRest = time.Second/4 - faceWait
)

// Face is one of those for whom we work, as the others in the room see them.
type Face struct {
	User    awareness.User
	Cursors []awareness.Cursor // all of them are in one cell
	Status  awareness.Status
	// Writes says that it is theirs what is written next.
	Writes bool
}

// presence is what the room's awareness has of us.
type presence struct {
	faces    map[uint64]*Face
	writer   *awareness.User // for whom we wrote last
	autosave bool            // as last announced
	further  map[string]json.RawMessage
}

// localState is the state of our replica in a document's room: JupyterLab's shape, and keys of our own, by which agents
// recognise one another. JupyterLab ignores keys that it does not know. Without a user JupyterLab shows nobody.
type localState struct {
	Autosave bool            `json:"autosave"`
	User     awareness.User  `json:"user,omitzero"`
	Agent    string          `json:"agent"`
	For      *awareness.User `json:"for,omitempty"`
}

// faceState is the state of a face. It has our autosave flag, because the server takes a state without one for a wish to
// save.
type faceState struct {
	Autosave bool               `json:"autosave"`
	User     awareness.User     `json:"user"`
	Cursors  []awareness.Cursor `json:"cursors,omitempty"`
	Agent    string             `json:"agent"`
	Replica  uint64             `json:"replica"`
	Status   *awareness.Status  `json:"status,omitempty"`
}

// SetFace shows one of those for whom we work, under an awareness id of its own, which is random; nil takes it out of the
// room. Such news goes out at most four times a second; for whom we write is known before what is written.
func (r *Room) SetFace(client uint64, f *Face) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f == nil {
		delete(r.presence.faces, client)
	} else {
		r.presence.faces[client] = f
		if w := r.presence.writer; f.Writes && (w == nil || w.Username != f.User.Username || w.DisplayName != f.User.DisplayName) {
			writer := f.User
			writer.AvatarURL = nil
			r.presence.writer = &writer
			putOwn(r, r.cfg.Replica.ClientID(), withFurther{ownState(r), r.presence.further})
			r.out.announce()
		}
	}
	putFace(r, client, f)
	nudge(r.stir)
}

// publish announces us at once, all that we are. Our autosave flag follows the people's: the server saves by itself if one
// state in the room says so, and our flag must not turn on what people have turned off. Before we can know of them, which
// takes until their next announcement, it is off as long as we have edited nothing. Without people it is on: the server
// keeps our state long after a lost connection, and with the flag off it would never write the edits that it has confirmed.
func (r *Room) publish() {
	on := r.wantAutosave()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.presence.autosave = on
	putOwn(r, r.cfg.Replica.ClientID(), withFurther{ownState(r), r.presence.further})
	for client, f := range r.presence.faces {
		putFace(r, client, f)
	}
	r.out.announce()
}

// ownState is the state of our replica's entry.
func ownState(r *Room) localState {
	return localState{Autosave: r.presence.autosave, User: r.cfg.User, Agent: agentName, For: r.presence.writer}
}

// putFace puts the state of a face, nil for one that leaves.
func putFace(r *Room, client uint64, f *Face) {
	if f == nil {
		putOwn(r, client, nil)
		return
	}
	st := faceState{Autosave: r.presence.autosave, User: f.User, Cursors: f.Cursors, Agent: agentName, Replica: r.cfg.Replica.ClientID()}
	if f.Status.Text != "" {
		st.Status = &f.Status
	}
	putOwn(r, client, st)
}

func putOwn(r *Room, client uint64, state any) {
	if err := r.table.Put(client, state); err != nil {
		// Only a cursor that is not JSON can do this.
		r.log.Warn("cannot announce our presence", "room", r.ID(), "error", err)
	}
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
	if len(changed) > 0 {
		r.out.announce() // somebody may have changed a state of ours
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

// goodbye is the awareness frame that removes us from the room at once; without it the others see our carets for another
// 30 seconds.
func (r *Room) goodbye() []byte { return wire.AppendAwareness(nil, r.table.Goodbye()) }

// SetFurther adds a key to our own awareness state in the room, or removes it with nil: what extensions of JupyterLab look
// for in the states of the others, such as who is writing in a chat. The value is kept as the JSON that it is now. A key
// of the state itself wins over one of these.
func (r *Room) SetFurther(key string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	r.mu.Lock()
	if value != nil {
		r.presence.further[key] = raw
	} else {
		delete(r.presence.further, key)
	}
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
