package rooms

import (
	"bytes"
	"errors"
	"time"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// receive handles a client's frame other than RAW. It ignores malformed and unknown frames, as the real server does.
func (r *room) receive(c *client, f wire.Frame, b []byte) {
	switch f.Kind {
	case wire.SyncStep1:
		answer := func() { r.answer(c, f.Payload) }
		if r.t.faults.holding() {
			r.held = append(r.held, answer)
			return
		}
		answer()
	case wire.SyncStep2, wire.Update:
		r.apply(c, f)
	case wire.Awareness:
		r.relay(c, f.Payload, b)
	case wire.Unknown, wire.Raw:
	}
}

// answer sends the updates that a client lacks.
func (r *room) answer(c *client, stateVector []byte) {
	if r.t.faults.gap(r.path()) {
		stateVector = withoutBeginning(stateVector)
	}
	update, err := r.doc.Diff(stateVector)
	if err != nil {
		return
	}
	c.send(wire.AppendSyncStep2(nil, update))
	if c.half {
		c.cutSoon()
	}
}

// withoutBeginning returns the state vector as if it had the first changes of client 0, which builds documents.
func withoutBeginning(stateVector []byte) []byte {
	has, err := wire.ParseStateVector(stateVector, wire.DefaultLimits)
	if err != nil {
		return stateVector
	}
	has[0] = max(has[0], 5)
	return wire.EncodeStateVector(has)
}

// nothing is an empty update.
var nothing = []byte{0, 0}

// apply applies an update. Its new part is sent to all clients when the room settles.
func (r *room) apply(c *client, f wire.Frame) {
	if bytes.Equal(f.Payload, nothing) {
		return
	}
	path := r.path()
	if f.Kind == wire.Update && r.t.faults.spend(&r.t.faults.dropBefore, path) {
		r.drop(c)
		return
	}
	if errors.Is(r.doc.Apply(f.Payload), crdt.ErrPending) { // an update that cannot be applied is ignored or held back
		r.t.gaps.Add(1)
	}
	if r.doc.Err() != nil {
		r.rebuild()
	}
	if len(r.fresh) > 0 && r.t.faults.spend(&r.t.faults.dropAfter, path) {
		r.drop(c)
	}
}

// rebuild rebuilds the document from its history, because an update broke it.
func (r *room) rebuild() {
	r.doc = r.newDocument()
	for _, u := range r.record.all() {
		_ = r.doc.Apply(u) // each was applied before
	}
	if path := r.path(); r.file != nil && path != "" && r.doc.State()["path"] != path {
		_ = r.doc.SetState("path", path) // fails only with a broken document
	}
	r.fresh, r.changed = nil, false
}

// relay passes on an awareness update, also to its sender as a sign that the connection lives, except a lone goodbye.
func (r *room) relay(c *client, update, frame []byte) {
	goodbye, err := isGoodbye(update)
	if err != nil {
		return
	}
	for _, other := range r.clients {
		if !goodbye || other != c {
			other.send(frame)
		}
	}
	r.people.apply(update, time.Now())
}

// watchPeople renews the server's own entry if it is due, and drops the entries of silent clients.
func (r *room) watchPeople(now time.Time) {
	if update := r.people.watch(now); update != nil {
		r.broadcast(wire.AppendAwareness(nil, update))
	}
}
