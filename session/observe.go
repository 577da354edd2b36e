package session

import (
	"sync"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/ydoc"
)

// EventKind is the kind of an [Event].
type EventKind int

// The kinds of events.
const (
	Opened    EventKind = iota + 1 // a document was opened
	Closed                         // a document was closed
	Moved                          // its path has changed
	Changed                        // its content was changed by any client
	Ran                            // a run has begun or ended
	Suspected                      // the notebook has lost or doubled its cells
)

// Event is an event of an open document.
type Event struct {
	Kind     EventKind
	Document *Document    // nil for a run outside an open document
	Changes  ydoc.Changes // of Changed; if it is not Complete, anything may have changed
	Run      *run.Run     // of Ran
	Says     string       // of Suspected: the loss
}

// observers receive the events.
type observers struct {
	mu  sync.Mutex
	all map[*func(Event)]struct{}
}

// Observe calls f for each event until stop is called. The goroutine that causes the event calls f, with locks held: f
// must return at once.
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

// tell passes an event to the observers, one event at a time.
func (m *Manager) tell(e Event) {
	m.observers.mu.Lock()
	defer m.observers.mu.Unlock()
	for f := range m.observers.all {
		(*f)(e)
	}
}
