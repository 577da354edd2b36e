package rtc

import (
	"slices"
	"sync"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// ticket is a caller that waits until the room confirms the preceding edits. It is buffered, and receives exactly one
// value.
type ticket chan error

func newTicket() ticket { return make(ticket, 1) }

// syncRequest is a SYNC1 without its SYNC2 yet: the state that the SYNC2 will confirm, and the waiting callers. The
// server answers in order.
type syncRequest struct {
	confirms []byte // a state vector; nil if nothing is confirmed for certain
	tickets  []ticket
	full     bool // asks for the whole state, to repair a gap
}

// batch is everything that the writer takes from the outbox at once.
type batch struct {
	frames  [][]byte
	tickets []ticket
	full    bool
	last    bool // close the socket after this
}

func (b *batch) empty() bool {
	return len(b.frames) == 0 && len(b.tickets) == 0 && !b.full && !b.last
}

// outbox is the queue of the socket's writer. Edits and tickets that arrive while the writer is busy are sent
// together, so that any number of callers cost one SYNC1.
//
// While it is shut (the room is not synced) it drops updates, because the state vectors of the next synchronisation
// show what the room lacks. It keeps tickets.
type outbox struct {
	mu       sync.Mutex
	keep     bool // accepts edits
	open     bool // hands them out
	frames   [][]byte
	greeting int           // number of frames that go before everything else
	answerAt int           // 1-based position in frames of the answer to a SYNC1; 0 without one
	news     func() []byte // our awareness update, encoded when it is taken; nil for none
	due      bool          // there is an update to announce
	bye      []byte        // the last awareness frame
	tickets  []ticket
	full     bool
	asksFull bool // a request for the whole state is pending
	last     bool
	sent     []syncRequest
	wake     chan struct{}
}

// newOutbox makes an outbox that announces the awareness updates of news.
func newOutbox(news func() []byte) *outbox { return &outbox{news: news, wake: make(chan struct{}, 1)} }

// change calls f under the lock, and wakes the writer.
func (o *outbox) change(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
	nudge(o.wake)
}

// nudge wakes the goroutine that waits on a channel with capacity 1.
func nudge(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// update queues the frame of an edit, if the room is synced.
func (o *outbox) update(frame []byte) {
	o.change(func() {
		if o.keep {
			o.frames = append(o.frames, frame)
		}
	})
}

// answer queues the update that the server lacks. It replaces an unsent answer, so that a server that asks and does
// not read cannot fill our memory.
func (o *outbox) answer(frame []byte) {
	o.change(func() {
		switch {
		case !o.keep:
		case o.answerAt > 0:
			// The new one also has the edits queued after the old one, which does no harm; edits that depend on it are
			// not sent before it.
			o.frames[o.answerAt-1] = frame
		default:
			o.frames = append(o.frames, frame)
			o.answerAt = len(o.frames)
		}
	})
}

// announce makes the writer send our awareness update before the edits queued with it, so that the author is known
// when they arrive.
func (o *outbox) announce() { o.change(func() { o.due = o.due || o.keep }) }

// wait queues a ticket.
func (o *outbox) wait(t ticket) { o.change(func() { o.tickets = append(o.tickets, t) }) }

// asking reports whether a caller is waiting for a confirmation.
func (o *outbox) asking() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open && len(o.tickets) > 0
}

// repair requests the whole state of the room. If such a request is pending, another one follows its answer.
func (o *outbox) repair() { o.change(func() { o.full = true }) }

// finish queues the last frame, after which the writer closes the socket. It reports whether there is a connection.
func (o *outbox) finish(frame []byte) (open bool) {
	o.change(func() {
		if open = o.open; open {
			o.bye = frame
		}
		o.last = true
	})
	return open
}

// start opens the outbox for a newly synced connection; frames are sent before everything else.
func (o *outbox) start(frames ...[]byte) {
	o.change(func() {
		o.frames = slices.Concat(frames, o.frames)
		o.greeting = len(frames)
		if o.answerAt > 0 {
			o.answerAt += len(frames)
		}
		o.keep, o.open = true, true
	})
}

// keepEdits starts to keep edits without handing them out, so that no edit is missed between the diff of the replica
// and start, and none overtakes that diff.
func (o *outbox) keepEdits() {
	o.mu.Lock()
	o.keep = true
	o.mu.Unlock()
}

// take returns everything that waits for the writer. A shut outbox returns nothing.
func (o *outbox) take() batch {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open {
		return batch{last: o.last}
	}
	b := batch{frames: o.frames, tickets: o.tickets, full: o.full && !o.asksFull, last: o.last}
	switch {
	case o.bye != nil:
		b.frames = append(b.frames, o.bye)
	case o.due:
		if news := o.news(); news != nil {
			b.frames = slices.Insert(b.frames, o.greeting, wire.AppendAwareness(nil, news))
		}
	}
	o.frames, o.greeting, o.answerAt, o.due, o.bye, o.tickets = nil, 0, 0, false, nil, nil
	if b.full {
		o.full, o.asksFull = false, true
	}
	return b
}

// asked records a SYNC1 that is about to be written.
func (o *outbox) asked(r syncRequest) {
	o.mu.Lock()
	o.sent = append(o.sent, r)
	o.mu.Unlock()
}

// answered returns the oldest SYNC1 without a SYNC2.
func (o *outbox) answered() (syncRequest, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.sent) == 0 {
		return syncRequest{}, false
	}
	r := o.sent[0]
	o.sent = o.sent[1:]
	if r.full {
		o.asksFull = false
		nudge(o.wake)
	}
	return r, true
}

// owe requeues the tickets of an answer that could not be applied: they end with the room.
func (o *outbox) owe(tickets []ticket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tickets = append(tickets[:len(tickets):len(tickets)], o.tickets...)
}

// shut is called when the connection is lost: it drops updates, and keeps the tickets of unanswered SYNC1s for the
// next connection.
func (o *outbox) shut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keep, o.open = false, false
	o.frames, o.greeting, o.answerAt, o.due, o.bye, o.full, o.asksFull = nil, 0, 0, false, nil, false, false
	again := lo.FlatMap(o.sent, func(r syncRequest, _ int) []ticket { return r.tickets })
	o.sent = nil
	o.tickets = append(again, o.tickets...)
}

// fail ends all tickets with err; the room is closed.
func (o *outbox) fail(err error) {
	o.shut()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.tickets {
		t <- err
	}
	o.tickets = nil
}

// leaving reports whether finish has been called.
func (o *outbox) leaving() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last
}
