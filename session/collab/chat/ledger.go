package chat

import (
	"hash/maphash"
	"sync"
)

// Kind says what happened to a message.
type Kind int

// The kinds of events.
const (
	Sent Kind = iota
	Edited
	Deleted
)

// Event is a change that another client made.
type Event struct {
	Kind    Kind
	Message Message
}

// ledger remembers the ids of messages, so that each is reported once even if the server moves it or the room is joined
// again.
type ledger struct {
	seed maphash.Seed

	mu    sync.Mutex
	known map[string]mark
	order []string // of known, the oldest first
	ours  map[string]bool
}

// mark is the part of a message whose changes are reported.
type mark struct {
	body    uint64
	deleted bool
}

// maxKnown is how many messages are remembered. It is far more than are read at once, so that an old message that comes into
// view, because others were removed, does not count as new.
const maxKnown = 20_000

func newLedger() ledger {
	return ledger{seed: maphash.MakeSeed(), known: map[string]mark{}, ours: map[string]bool{}}
}

// mine marks a message as ours, before it is sent.
func (l *ledger) mine(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ours[id] = true
}

// enter records messages and returns what is new. In a chat that has just been opened, nothing is.
func (l *ledger) enter(messages []Message, first bool) (events []Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range messages {
		now := mark{maphash.String(l.seed, m.Body), m.Deleted}
		was, known := l.known[m.ID]
		if known && was == now {
			continue
		}
		l.known[m.ID] = now
		if !known {
			l.order = append(l.order, m.ID)
		}
		switch {
		case first, l.ours[m.ID]:
		case !known && !m.Deleted:
			events = append(events, Event{Sent, m})
		case known && m.Deleted && !was.deleted:
			events = append(events, Event{Deleted, m})
		case known && !m.Deleted:
			events = append(events, Event{Edited, m})
		}
	}
	for len(l.order) > maxKnown {
		delete(l.known, l.order[0])
		delete(l.ours, l.order[0])
		l.order = l.order[1:]
	}
	return events
}
