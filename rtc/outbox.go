package rtc

import "sync"

// ticket is one caller waiting for the room to confirm what was written
// before it asked.
type ticket struct {
	done chan error // buffered, gets exactly one value
}

func newTicket() *ticket { return &ticket{done: make(chan error, 1)} }

// syncRequest is one SYNC1 on its way: what its SYNC2 will confirm, and who
// waits for that. The server answers in order.
type syncRequest struct {
	confirms []byte // a state vector; nil where it confirms nothing for certain
	tickets  []*ticket
	full     bool // asked for the whole state, to repair a gap
}

// batch is what the writer takes from the outbox at one time.
type batch struct {
	frames  [][]byte
	tickets []*ticket
	full    bool
	last    bool // close the socket after this
}

func (b *batch) empty() bool {
	return len(b.frames) == 0 && len(b.tickets) == 0 && !b.full && !b.last
}

// outbox is what waits to be written to the socket. Edits and tickets that
// come while the writer is busy go out together, so that any number of callers
// cost one SYNC1.
//
// While it is shut (the room is not synced) updates are not kept: the state
// vectors that are exchanged at the next synchronisation say what the room
// lacks. Tickets are kept.
type outbox struct {
	mu        sync.Mutex
	keep      bool // edits are taken in
	open      bool // and handed out
	frames    [][]byte
	answerAt  int    // where in frames the answer to a SYNC1 is, counted from 1; 0 for none
	awareness []byte // only the newest counts
	tickets   []*ticket
	full      bool
	asksFull  bool // a request for the whole state is on its way
	last      bool
	sent      []syncRequest
	wake      chan struct{}
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// update queues the frame of an edit, if the room is synced.
func (o *outbox) update(frame []byte) {
	o.mu.Lock()
	if o.keep {
		o.frames = append(o.frames, frame)
	}
	o.mu.Unlock()
	o.signal()
}

// answer queues what the server lacks, in place of an answer not yet sent: a
// server that asks and does not listen must not fill our memory.
func (o *outbox) answer(frame []byte) {
	o.mu.Lock()
	switch {
	case !o.keep:
	case o.answerAt > 0:
		// What was queued behind the old one is in the new one already, which
		// does no harm; nothing that builds on it goes before it.
		o.frames[o.answerAt-1] = frame
	default:
		o.frames = append(o.frames, frame)
		o.answerAt = len(o.frames)
	}
	o.mu.Unlock()
	o.signal()
}

// setAwareness queues an awareness frame in place of one not yet sent.
func (o *outbox) setAwareness(frame []byte) {
	o.mu.Lock()
	if o.keep {
		o.awareness = frame
	}
	o.mu.Unlock()
	o.signal()
}

// wait queues a ticket.
func (o *outbox) wait(t *ticket) {
	o.mu.Lock()
	o.tickets = append(o.tickets, t)
	o.mu.Unlock()
	o.signal()
}

// asking reports whether somebody waits for a confirmation.
func (o *outbox) asking() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open && len(o.tickets) > 0
}

// repair asks for the whole state of the room, once more when it has come if it
// was asked for already.
func (o *outbox) repair() {
	o.mu.Lock()
	o.full = true
	o.mu.Unlock()
	o.signal()
}

// finish queues the last frame; the writer closes the socket behind it. It
// reports whether there is a connection to say it over.
func (o *outbox) finish(frame []byte) bool {
	o.mu.Lock()
	open := o.open
	if open && frame != nil {
		o.awareness = frame
	}
	o.last = true
	o.mu.Unlock()
	o.signal()
	return open
}

// start opens the outbox for a freshly synced connection, first giving what
// must be said before anything else.
func (o *outbox) start(frames ...[]byte) {
	o.mu.Lock()
	o.frames = append(append([][]byte(nil), frames...), o.frames...)
	if o.answerAt > 0 {
		o.answerAt += len(frames)
	}
	o.keep, o.open = true, true
	o.mu.Unlock()
	o.signal()
}

// keepEdits lets edits in and nothing out yet, so that none is missed between
// taking a diff of the replica and start, and none overtakes that diff.
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
	if o.awareness != nil {
		b.frames = append(b.frames, o.awareness)
	}
	o.frames, o.answerAt, o.awareness, o.tickets = nil, 0, nil, nil
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
		o.signal()
	}
	return r, true
}

// shut is called when the connection is gone: updates are dropped, and
// everybody whose SYNC1 was not answered waits on for the next connection.
func (o *outbox) shut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keep, o.open = false, false
	o.frames, o.answerAt, o.awareness, o.full, o.asksFull = nil, 0, nil, false, false
	var again []*ticket
	for _, r := range o.sent {
		again = append(again, r.tickets...)
	}
	o.sent = nil
	o.tickets = append(again, o.tickets...)
}

// fail ends all waiting with err; the room is closed.
func (o *outbox) fail(err error) {
	o.shut()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.tickets {
		t.done <- err
	}
	o.tickets = nil
}

// leaving reports whether finish was called.
func (o *outbox) leaving() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last
}
