package rtc

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// An update of an appearance waits for further ones to join it, and the next waits after that: at most four go out per
// second.
const (
	updateWait = time.Second / 20
	updateRest = time.Second/4 - updateWait
)

// Appearance is a user we work for, as the others in the room see it.
type Appearance struct {
	User    awareness.User
	Cursors []awareness.Cursor // all of them are in one cell
	Status  awareness.Status
	// Writes is set if the next edits are this user's.
	Writes bool
}

// presence is our part of the room's awareness.
type presence struct {
	appearances map[uint64]*Appearance
	writer      *awareness.User // the user we last wrote for
	autosave    bool            // as last announced
	further     map[string]json.RawMessage
}

// localState is our replica's state in a document's room, in JupyterLab's format, with additional keys by which
// agents recognise one another. JupyterLab ignores unknown keys. It shows no state without a user.
type localState struct {
	Autosave bool            `json:"autosave"`
	User     awareness.User  `json:"user,omitzero"`
	Agent    string          `json:"agent"`
	For      *awareness.User `json:"for,omitempty"`
}

// appearanceState is the state of an appearance. It has our autosave flag, because the server treats a state without one as
// autosave on.
type appearanceState struct {
	Autosave bool               `json:"autosave"`
	User     awareness.User     `json:"user"`
	Cursors  []awareness.Cursor `json:"cursors,omitempty"`
	Agent    string             `json:"agent"`
	Replica  uint64             `json:"replica"`
	Status   *awareness.Status  `json:"status,omitempty"`
}

// SetAppearance shows a user we work for, under its own random awareness id; nil removes it from the room. Updates go out
// at most four times a second; the user we write for is announced before the edits.
func (r *Room) SetAppearance(client uint64, f *Appearance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f == nil {
		delete(r.presence.appearances, client)
	} else {
		r.presence.appearances[client] = f
		if w := r.presence.writer; f.Writes && (w == nil || w.Username != f.User.Username || w.DisplayName != f.User.DisplayName) {
			writer := f.User
			writer.AvatarURL = nil
			r.presence.writer = &writer
			putOwn(r, r.cfg.Replica.ClientID(), withFurther{ownState(r), r.presence.further})
			r.out.announce()
		}
	}
	putAppearance(r, client, f)
	nudge(r.stir)
}

// publish announces all our states at once. Our autosave flag follows the people's: the server autosaves if one state
// in the room asks for it, and our flag must not turn on what people have turned off. Until people can be known,
// which takes until their next announcement, it is off as long as we have edited nothing. Without people it is on:
// the server keeps our state long after a lost connection, and with the flag off it would never save the edits that
// it has confirmed.
func (r *Room) publish() {
	on := r.wantAutosave()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.presence.autosave = on
	putOwn(r, r.cfg.Replica.ClientID(), withFurther{ownState(r), r.presence.further})
	for client, f := range r.presence.appearances {
		putAppearance(r, client, f)
	}
	r.out.announce()
}

// ownState returns the state of our replica's entry.
func ownState(r *Room) localState {
	return localState{Autosave: r.presence.autosave, User: r.cfg.User, Agent: agentName, For: r.presence.writer}
}

// putAppearance puts the state of an appearance; nil removes it.
func putAppearance(r *Room, client uint64, f *Appearance) {
	if f == nil {
		putOwn(r, client, nil)
		return
	}
	st := appearanceState{Autosave: r.presence.autosave, User: f.User, Cursors: f.Cursors, Agent: agentName, Replica: r.cfg.Replica.ClientID()}
	if f.Status.Text != "" {
		st.Status = &f.Status
	}
	putOwn(r, client, st)
}

func putOwn(r *Room, client uint64, state any) {
	if err := r.table.Put(client, state); err != nil {
		// Only a cursor that is not JSON can cause this.
		r.log.Warn("cannot announce presence", "room", r.ID(), "error", err)
	}
}

func (r *Room) wantAutosave() bool {
	people, on := r.autosaves()
	return on || !people && (r.edited.Load() || time.Since(r.joined) > r.cfg.Timing.Renew*3/2)
}

// onAwareness applies an awareness update.
func (r *Room) onAwareness(update []byte) {
	changed, err := r.table.Apply(update, time.Now())
	if err != nil {
		r.log.Warn("room sent a malformed awareness update", "path", r.Path(), "error", err)
		return
	}
	if len(changed) > 0 {
		r.out.announce() // another client may have changed one of our states
		r.meet(changed)
		r.peersChanged()
	}
}

// peersChanged announces our states again if the people's autosave flags change ours.
func (r *Room) peersChanged() {
	want := r.wantAutosave()
	r.mu.Lock()
	same := want == r.presence.autosave
	r.mu.Unlock()
	if !same {
		r.publish()
	}
}

// goodbye is the awareness frame that removes us from the room at once; without it the others see our carets for
// another 30 seconds.
func (r *Room) goodbye() []byte { return wire.AppendAwareness(nil, r.table.Goodbye()) }

// SetFurther adds a key to our own awareness state in the room, or removes it if value is nil. JupyterLab extensions
// look for such keys, for example to show who is writing in a chat. The value is encoded at once. The state's own
// keys take precedence.
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

// withFurther is a state with additional keys.
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
