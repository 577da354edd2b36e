package session

import (
	"sync"

	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/ydoc"
)

// EventKind says what an [Event] is about.
type EventKind int

// The kinds of events.
const (
	Opened  EventKind = iota + 1 // a document is open from now on
	Closed                       // a document is no longer open
	Moved                        // its file has another path
	Changed                      // it became different, whoever did it
	Ran                          // a run of it has begun or ended
)

// Event is something that happens to an open document.
type Event struct {
	Kind     EventKind
	Document *Document    // nil for a run of no open document
	Changes  ydoc.Changes // of Changed; where it is not Complete, anything may be different
	Run      *run.Run     // of Ran
}

// observers are told of events.
type observers struct {
	mu  sync.Mutex
	all map[*func(Event)]struct{}
}

// Observe calls f for each event from now on, until stop is called. It is called by whoever makes the event happen, at
// times by several at once, and with locks held: it must only take note.
func (m *Manager) Observe(f func(Event)) (stop func()) {
	o := &m.observers
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = make(map[*func(Event)]struct{})
	}
	o.all[&f] = struct{}{}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.all, &f)
	}
}

// tell tells the observers of an event, one event after the other.
func (m *Manager) tell(e Event) {
	m.observers.mu.Lock()
	defer m.observers.mu.Unlock()
	for f := range m.observers.all {
		(*f)(e)
	}
}
