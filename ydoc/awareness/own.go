package awareness

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// entry is one of our own entries.
type entry struct {
	State
	unsent   bool // to be announced, as a goodbye if Raw is nil
	defended time.Time
}

// SetLocal sets the state of the table's own client to the JSON encoding of state and returns the update that
// announces it. A nil state, or one encoded as null, says goodbye. On an error the previous state stays.
func (t *Table) SetLocal(state any) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.put(t.local, state); err != nil {
		return nil, err
	}
	return EncodeUpdate([]State{t.announce(t.local)}), nil
}

// Put sets the state of one of our own entries, like SetLocal; [Table.Unsent] announces it. The id of an additional
// entry must be unique, such as a random one, and should not be used again after its goodbye.
func (t *Table) Put(client uint64, state any) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.put(client, state)
}

func (t *Table) put(client uint64, state any) error {
	raw, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("encode the awareness state: %w", err)
	}
	if isNull(raw) {
		raw = nil
	}
	if len(raw) > t.lim.AwarenessStateBytes {
		return fmt.Errorf("the awareness state has %d bytes of JSON, at most %d are allowed", len(raw), t.lim.AwarenessStateBytes)
	}
	e := t.own[client]
	if e == nil {
		if raw == nil {
			return nil
		}
		known := t.peers[client]
		t.bytes -= len(known.Raw)
		delete(t.peers, client)
		e = &entry{State: State{ClientID: client, Clock: known.Clock}}
		t.own[client] = e
	}
	e.Raw, e.unsent = raw, true
	return nil
}

// Unsent returns an update with the entries that were put since their last announcement or announced by a peer, or
// nil.
func (t *Table) Unsent() []byte {
	return t.update(func(e *entry) bool { return e.unsent })
}

// Renew returns an update that announces all of our own entries again, so that peers do not expire them. Without
// entries it returns an empty update.
func (t *Table) Renew() []byte {
	if u := t.update(func(e *entry) bool { return e.unsent || e.Raw != nil }); u != nil {
		return u
	}
	return EncodeUpdate(nil)
}

// Goodbye removes all of our own entries and returns the update that says goodbye for them.
func (t *Table) Goodbye() []byte {
	return t.update(func(e *entry) bool {
		gone := e.Raw != nil || e.unsent || e.ClientID == t.local
		e.Raw = nil
		return gone
	})
}

// update announces the selected ones of our own entries, in the order of their ids.
func (t *Table) update(meant func(*entry) bool) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	var states []State
	for _, client := range slices.Sorted(maps.Keys(t.own)) {
		if meant(t.own[client]) {
			states = append(states, t.announce(client))
		}
	}
	if len(states) == 0 {
		return nil
	}
	return EncodeUpdate(states)
}

// announce increments an entry's clock. An entry that says goodbye is removed from our own, except the first.
func (t *Table) announce(client uint64) State {
	e := t.own[client]
	e.Clock++
	e.unsent = false
	if e.Raw == nil && client != t.local {
		delete(t.own, client)
		t.peers[client] = e.State
	}
	return e.State
}

// defend handles a peer's announcement of one of our own entries and reports whether we must answer it. Echoes need
// no answer.
func (e *entry) defend(s State, now time.Time) bool {
	if s.Clock < e.Clock || s.Clock == e.Clock && (s.Raw != nil || e.Raw == nil) {
		return false
	}
	e.Clock = s.Clock // the next announcement is higher
	if e.Raw == nil || now.Sub(e.defended) < defendAfter && !e.defended.IsZero() {
		return false
	}
	e.defended = now
	e.unsent = true
	return true
}
