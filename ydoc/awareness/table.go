package awareness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// Timeout is how long a peer counts as present after its last announcement (y-protocols, awareness.js, outdatedTimeout).
const Timeout = 30 * time.Second

// KnownAfter is how long after joining a room all its present clients are known. Newcomers get no list; each client
// checks every 3 seconds (line 77 of 1.0.7) whether its last announcement is 15 seconds old (line 61) and then renews
// it, so that may take up to 18 seconds.
const KnownAfter = Timeout/2 + Timeout/10

const (
	// maxBytes bounds the total size of a table's states.
	maxBytes = 16 << 20
	// defendAfter is the shortest time between two reported defences of one of our own entries. Without it, two
	// clients with the same id would outbid each other endlessly.
	defendAfter = time.Second
	// maxClock is the highest clock accepted from a peer, so that higher ones always remain.
	maxClock = wire.MaxInt - 1<<32
)

// State is the last announcement of one client.
type State struct {
	// ClientID is the client's id, Clock the number of its announcements.
	ClientID, Clock uint64
	// Raw is the state, valid JSON that must not be changed; nil after a goodbye or a timeout.
	Raw json.RawMessage
	// Seen is when the announcement arrived.
	Seen time.Time
	// Changed is when the state last changed; zero if it has not since the first announcement.
	Changed time.Time
	keys    map[string]json.RawMessage // of Raw, parsed once for the states in a table
}

// Table is one client's view of a room's awareness. The client may have several own entries, as a program that works
// for several users has.
type Table struct {
	mu    sync.Mutex
	lim   wire.Limits
	local uint64
	own   map[uint64]*entry // always includes local
	peers map[uint64]State  // absent peers stay with their clock, so that late echoes do not bring them back
	bytes int               // of all peers' states
}

// NewTable makes an empty table for the client with the id local, within [wire.DefaultLimits].
func NewTable(local uint64) *Table { return NewTableLimits(local, wire.DefaultLimits) }

// NewTableLimits makes an empty table for the client with the id local, within lim.
func NewTableLimits(local uint64, lim wire.Limits) *Table {
	own := map[uint64]*entry{local: {State: State{ClientID: local}}}
	return &Table{lim: lim, local: local, own: own, peers: map[uint64]State{}}
}

// Apply applies an awareness update received at the time now and returns the sorted ids of the clients that changed,
// came or went. Announcements with clocks not higher than known are ignored. One of our own ids in the result means
// that a peer has announced that entry and that we must announce it again at once, with [Table.Unsent].
//
// An update that is malformed, contains invalid JSON, or would exceed a limit changes nothing; the error is a
// *[wire.FormatError].
func (t *Table) Apply(update []byte, now time.Time) ([]uint64, error) {
	states, err := ParseUpdate(update, t.lim)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.fits(states); err != nil {
		return nil, err
	}
	var changed []uint64
	for _, s := range states {
		s.Seen = now
		if ours := t.own[s.ClientID]; ours != nil {
			if ours.defend(s, now) {
				changed = append(changed, s.ClientID)
			}
		} else if t.take(s) {
			changed = append(changed, s.ClientID)
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// news reports whether s is newer than the known state.
func (t *Table) news(s State) bool {
	known, ok := t.peers[s.ClientID]
	return !ok || s.Clock > known.Clock || s.Clock == known.Clock && s.Raw == nil && known.Raw != nil
}

// take stores a peer's announcement and reports whether its state changed.
func (t *Table) take(s State) bool {
	if !t.news(s) {
		return false
	}
	known, ok := t.peers[s.ClientID]
	differs := string(known.Raw) != string(s.Raw)
	if s.Changed = known.Changed; ok && differs {
		s.Changed = s.Seen
	}
	if s.keys = known.keys; differs {
		s.keys = keysOf(s.Raw)
	}
	t.bytes += len(s.Raw) - len(known.Raw)
	t.peers[s.ClientID] = s
	return differs
}

// fits makes room for newcomers by removing the peers absent the longest, and fails if that is not enough.
func (t *Table) fits(states []State) error {
	bytes := t.bytes
	newcomers := map[uint64]bool{}
	for _, s := range states {
		if t.own[s.ClientID] != nil || !t.news(s) {
			continue
		}
		if known, ok := t.peers[s.ClientID]; ok {
			bytes -= len(known.Raw)
		} else {
			newcomers[s.ClientID] = true
		}
		bytes += len(s.Raw)
	}
	if bytes > maxBytes {
		return limitError("the states of all peers together would be %d bytes, at most %d are kept", bytes, maxBytes)
	}
	excess := len(t.peers) + len(newcomers) - t.lim.AwarenessClients
	if excess <= 0 {
		return nil
	}
	var gone []State
	for _, s := range t.peers {
		if s.Raw == nil {
			gone = append(gone, s)
		}
	}
	if len(gone) < excess {
		return limitError("more than %d peers", t.lim.AwarenessClients)
	}
	slices.SortFunc(gone, func(a, b State) int { return a.Seen.Compare(b.Seen) })
	for _, s := range gone[:excess] {
		delete(t.peers, s.ClientID)
	}
	return nil
}

func limitError(format string, args ...any) error {
	return &wire.FormatError{What: "awareness update", Reason: wire.ReasonLimit, Detail: fmt.Sprintf(format, args...)}
}

// Expire removes the states of peers that have been silent for [Timeout] at the time now and returns their ids,
// sorted.
func (t *Table) Expire(now time.Time) []uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ids []uint64
	for id, s := range t.peers {
		if s.Raw != nil && now.Sub(s.Seen) >= Timeout {
			t.bytes -= len(s.Raw)
			s.Raw, s.keys = nil, nil
			t.peers[id] = s
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Peers returns the states of the other clients present, sorted by client id.
func (t *Table) Peers() []State {
	t.mu.Lock()
	defer t.mu.Unlock()
	states := make([]State, 0, len(t.peers))
	for _, s := range t.peers {
		if s.Raw != nil {
			states = append(states, s)
		}
	}
	slices.SortFunc(states, func(a, b State) int { return cmp.Compare(a.ClientID, b.ClientID) })
	return states
}
