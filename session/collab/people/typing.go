package people

import (
	"sync"
	"time"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// maxTyping bounds the clients of one room whose typing times are kept.
const maxTyping = 1_000

// Typing records when each client last typed in a document. The zero value is ready for use, and nil is empty.
type Typing struct {
	mu   sync.Mutex
	last map[uint64]time.Time
}

// Note records changes of a document at the time now. Only text counts: the changes that a tab makes when its cell runs are
// not typing.
func (t *Typing) Note(c ydoc.Changes, now time.Time) {
	if !c.Complete {
		return // the authors are not known
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.Text {
		t.note(c.Origin, now)
	}
	for _, cell := range c.Cells {
		if cell.Source || cell.New {
			t.note(cell.Origin, now)
		}
	}
}

func (t *Typing) note(by ydoc.Origin, now time.Time) {
	if t.last == nil {
		t.last = map[uint64]time.Time{}
	}
	for _, client := range by.Clients {
		if _, known := t.last[client]; !known && len(t.last) >= maxTyping {
			t.forgetOne()
		}
		t.last[client] = now
	}
}

// forgetOne removes the client that has not typed for the longest time.
func (t *Typing) forgetOne() {
	var oldest uint64
	var at time.Time
	for client, last := range t.last {
		if at.IsZero() || last.Before(at) {
			oldest, at = client, last
		}
	}
	delete(t.last, oldest)
}

// For returns how long the others have been received over the connection, at most [awareness.KnownAfter], or 0.
func (k Known) For() time.Duration {
	if k.Cut {
		return 0
	}
	return awareness.KnownAfter - k.In
}

// By returns when a client last typed, zero if it has not since we joined.
func (t *Typing) By(client uint64) time.Time {
	if t == nil {
		return time.Time{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last[client]
}
