package rtc

import (
	"slices"
	"sync"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// ticket is one caller that waits until the room confirms the edits before it. It is buffered, and gets exactly one value.
type ticket chan error

func newTicket() ticket { return make(ticket, 1) }

// syncRequest is one SYNC1 on its way: what its SYNC2 will confirm, and the callers that wait for it. The server
// answers in order.
type syncRequest struct {
	confirms []byte // a state vector; nil if it confirms nothing for certain
	tickets  []ticket
	full     bool // asked for the whole state, to repair a gap
}

// batch is what the writer takes from the outbox at once.
type batch struct {
	frames  [][]byte
	tickets []ticket
	full    bool
	last    bool // close the socket after this
}

func (b *batch) empty() bool {
	return len(b.frames) == 0 && len(b.tickets) == 0 && !b.full && !b.last
}

// outbox is the queue of the socket's writer. Edits and tickets that come while the writer is busy go out together, so
// that any number of callers cost one SYNC1.
//
// While it is shut (the room is not synced) it drops updates, because the state vectors of the next synchronisation
// show what the room lacks. It keeps tickets.
type outbox struct {
	mu       sync.Mutex
	keep     bool // accepts edits
	open     bool // hands them out
	frames   [][]byte
	greeting int           // how many of them come before everything else
	answerAt int           // where in frames the answer to a SYNC1 is, counted from 1; 0 for none
	news     func() []byte // what is to be announced of us when it is taken, nil for nothing
	due      bool          // there is something to announce
	bye      []byte        // the last awareness frame
	tickets  []ticket
	full     bool
	asksFull bool // a request for the whole state is on its way
	last     bool
	sent     []syncRequest
	wake     chan struct{}
}

// newOutbox makes an outbox that has what to announce from news.
func newOutbox(news func() []byte) *outbox { return &outbox{news: news, wake: make(chan struct{}, 1)} }

// change changes what is to be sent, and wakes the writer.
func (o *outbox) change(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
	nudge(o.wake)
}

// nudge wakes the goroutine that waits on a channel with room for one value.
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

// answer queues what the server lacks, in place of an answer not yet sent, so that a server that asks and does not read
// cannot fill our memory.
func (o *outbox) answer(frame []byte) {
	o.change(func() {
		switch {
		case !o.keep:
		case o.answerAt > 0:
			// The new one also has the edits queued after the old one, which does no harm; nothing that builds on it goes
			// before it.
			o.frames[o.answerAt-1] = frame
		default:
			o.frames = append(o.frames, frame)
			o.answerAt = len(o.frames)
		}
	})
}

// announce has the writer send what there is to announce of us, which is before the edits that wait with it: whose they
// are is then known when they come.
func (o *outbox) announce() { o.change(func() { o.due = o.due || o.keep }) }

// wait queues a ticket.
func (o *outbox) wait(t ticket) { o.change(func() { o.tickets = append(o.tickets, t) }) }

// asking reports whether a caller waits for a confirmation.
func (o *outbox) asking() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open && len(o.tickets) > 0
}

// repair asks for the whole state of the room. If a request is on its way, it asks once more when the answer has come.
func (o *outbox) repair() { o.change(func() { o.full = true }) }

// finish queues the last frame; the writer closes the socket after it. It reports whether there is a connection.
func (o *outbox) finish(frame []byte) (open bool) {
	o.change(func() {
		if open = o.open; open {
			o.bye = frame
		}
		o.last = true
	})
	return open
}

// start opens the outbox for a newly synced connection; frames go out before everything else.
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

// keepEdits begins to keep edits and hands none out yet, so that none is missed between the diff of the replica and
// start, and none overtakes that diff.
func (o *outbox) keepEdits() {
	o.mu.Lock()
	o.keep = true
	o.mu.Unlock()
}

// take gives the writer all that waits. A shut outbox gives nothing.
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

// answered takes the oldest SYNC1 that has no SYNC2 yet.
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

// owe takes back the tickets of an answer that could not be taken: they end with the room.
func (o *outbox) owe(tickets []ticket) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tickets = append(tickets[:len(tickets):len(tickets)], o.tickets...)
}

// shut is called when the connection is gone: it drops updates, and keeps the tickets whose SYNC1 was not answered for
// the next connection.
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

// leaving reports whether finish was called.
func (o *outbox) leaving() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last
}
