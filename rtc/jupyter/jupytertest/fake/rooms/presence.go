package rooms

import (
	"encoding/json"
	"time"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// The times of pycrdt's Awareness: the interval of its checks, the age at which it renews its own entry, and the age
// at which it drops other entries.
const (
	watchInterval = 3 * time.Second
	renewAfter    = 15 * time.Second
	peopleTimeout = 30 * time.Second
)

// presence is the server's awareness of a room's clients (pycrdt, _awareness.py). It has its own, empty entry.
type presence struct {
	own    uint64
	clocks map[uint64]uint64
	seen   map[uint64]time.Time
	states map[uint64]any
}

func newPresence(own uint64, now time.Time) *presence {
	return &presence{
		own: own, clocks: map[uint64]uint64{own: 0}, seen: map[uint64]time.Time{own: now},
		states: map[uint64]any{own: map[string]any{}},
	}
}

// isGoodbye reports whether an update consists of a single client's null state.
func isGoodbye(update []byte) (bool, error) {
	r := wire.NewReader("awareness", update)
	if r.Uint() != 1 {
		return false, r.Err()
	}
	r.Uint()
	r.Uint()
	state := r.VarString(r.Len())
	return string(state) == "null", r.Err()
}

// apply applies an update, up to where it is malformed.
func (p *presence) apply(update []byte, now time.Time) {
	r := wire.NewReader("awareness", update)
	for range r.Uint() {
		id, clock, raw := r.Uint(), r.Uint(), r.VarString(r.Len())
		var state any
		if r.Err() != nil || json.Unmarshal(raw, &state) != nil {
			return
		}
		if _, here := p.states[id]; clock <= p.clocks[id] && (clock != p.clocks[id] || state != nil || !here) {
			continue
		}
		switch {
		case state != nil:
			p.states[id] = state
		case id == p.own:
			clock++ // no client may remove it
		default:
			delete(p.states, id)
		}
		p.clocks[id], p.seen[id] = clock, now
	}
}

// watch drops the entries of silent clients, and returns the update that renews our own entry if it is due.
func (p *presence) watch(now time.Time) (update []byte) {
	state, err := json.Marshal(p.states[p.own])
	if err == nil && now.Sub(p.seen[p.own]) >= renewAfter {
		p.clocks[p.own]++
		p.seen[p.own] = now
		update = wire.AppendUint(nil, 1)
		update = wire.AppendUint(wire.AppendUint(update, p.own), p.clocks[p.own])
		update = wire.AppendVarBytes(update, state)
	}
	for id := range p.states {
		if id != p.own && now.Sub(p.seen[id]) >= peopleTimeout {
			delete(p.states, id)
		}
	}
	return update
}

// autosave reports whether to save documents: if any client wants it, which is the default for a client's state, or
// if the room has no client.
func (p *presence) autosave() bool {
	heard := false
	for _, v := range p.states {
		state, ok := v.(map[string]any)
		if !ok || len(state) == 0 {
			continue
		}
		heard = true
		switch wants, said := state["autosave"]; {
		case !said:
			return true
		case wants != nil && wants != false && wants != 0.0 && wants != "":
			return true
		}
	}
	return !heard
}
