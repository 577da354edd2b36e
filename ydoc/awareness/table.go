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

// KnownAfter is how long after one came into a room all are known who were there before: nobody tells a newcomer of them, but
// each client looks every 3 seconds (line 77 of 1.0.7) whether its last announcement is 15 seconds old (line 61), and then
// renews it: one that is just short of them does so after 18.
const KnownAfter = Timeout/2 + Timeout/10

const (
	// maxBytes bounds the states of one table together.
	maxBytes = 16 << 20
	// defendAfter is how long after one defence of our own entry the next is reported. Two clients with the same id
	// would else outbid each other without end.
	defendAfter = time.Second
	// maxClock is the highest clock taken from a peer, so that there are always higher ones.
	maxClock = wire.MaxInt - 1<<32
)

// State is what one client said last.
type State struct {
	// ClientID and Clock are the client's id and how often it has announced itself.
	ClientID, Clock uint64
	// Raw is its state, valid JSON that must not be changed; nil when it said goodbye or has been silent too long.
	Raw json.RawMessage
	// Seen is when the announcement came.
	Seen time.Time
	// Changed is when its state last became another one; zero if it has not since the first that came.
	Changed time.Time
	keys    map[string]json.RawMessage // of Raw, where the state is a table's: read once and not for each look
}

// Table is one client's view of a room's awareness. The client may have several entries of its own, as a program has
// that works for several.
type Table struct {
	mu    sync.Mutex
	lim   wire.Limits
	local uint64
	own   map[uint64]*entry // local's always
	peers map[uint64]State  // those gone stay with their clock, so that late echoes do not bring them back
	bytes int               // of all peers' states
}

// NewTable makes an empty table for the client with the id local, within [wire.DefaultLimits].
func NewTable(local uint64) *Table { return NewTableLimits(local, wire.DefaultLimits) }

// NewTableLimits makes an empty table for the client with the id local, within lim.
func NewTableLimits(local uint64, lim wire.Limits) *Table {
	own := map[uint64]*entry{local: {State: State{ClientID: local}}}
	return &Table{lim: lim, local: local, own: own, peers: map[uint64]State{}}
}

// Apply takes an awareness update that came at the time now and returns the ids of those whose state changed, came or
// went, sorted. Announcements with clocks no higher than known are passed over. An id of our own among them means that a
// peer has spoken for us and that we must announce ourselves at once, with [Table.Unsent].
//
// An update that is malformed, has a state that is not JSON, or would pass a limit changes nothing; the error is a
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

// news reports whether s tells more than is known.
func (t *Table) news(s State) bool {
	known, ok := t.peers[s.ClientID]
	return !ok || s.Clock > known.Clock || s.Clock == known.Clock && s.Raw == nil && known.Raw != nil
}

// take takes a peer's announcement and reports whether its state differs from before.
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

// fits makes room for newcomers by forgetting those longest gone, and fails when that is not enough.
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

// Expire forgets the states of peers who have been silent for [Timeout] at the time now and returns their ids, sorted.
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

// Peers returns the states of the others that are present, sorted by client id.
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
