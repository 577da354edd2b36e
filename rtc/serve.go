package rtc

import (
	"context"
	"errors"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// maxEarly bounds the updates that are kept while the first SYNC2 of a
// connection is on its way.
const maxEarly = 64 << 20

// connState is what the room knows about one connection.
type connState struct {
	serverSV []byte   // from the server's SYNC1
	early    [][]byte // updates that came before our SYNC2
	size     int      // their bytes
	have     bool     // our SYNC2 has been applied
	synced   bool
	owed     []*ticket // see Room.confirm
}

// serve speaks with the room over one socket until it ends, and says why it
// did.
func (r *Room) serve(ws *websocket.Conn) *CloseError {
	sv, err := r.cfg.Replica.StateVector()
	if err != nil {
		_ = ws.Close() // nothing was said over it yet
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	hello := wire.AppendSyncStep1(nil, sv)
	r.out.asked(syncRequest{})
	l := newLink(ws, r.cfg.Timing, func(ctx context.Context) ([][]byte, bool, bool) {
		if hello != nil {
			f := hello
			hello = nil
			return [][]byte{f}, false, true
		}
		return r.nextFrames(ctx)
	})
	defer l.close()

	renew := time.NewTicker(r.cfg.Timing.Renew)
	defer renew.Stop()
	var v connState
	defer v.confirmOwed()
	for {
		select {
		case frame, ok := <-l.in:
			if !ok {
				return closeReason(l.err)
			}
			end := r.receive(frame, &v)
			l.release(frame)
			if end != nil {
				return end
			}
		case now := <-renew.C:
			if gone := r.table.Expire(now); len(gone) > 0 {
				r.peersChanged()
			}
			r.out.setAwareness(wire.AppendAwareness(nil, r.table.Renew()))
		case <-r.ctx.Done():
			return &CloseError{Code: CodeConnection, Action: Discard, Err: r.ctx.Err()}
		}
	}
}

// nextFrames waits for the outbox and turns what it gives into frames: the
// edits, and behind them one SYNC1 for all who wait for a confirmation.
func (r *Room) nextFrames(ctx context.Context) (frames [][]byte, last, ok bool) {
	for {
		// Every edit that a state vector speaks of was put into the outbox
		// before it was taken from the replica. So one that is read before the
		// outbox is emptied says what the room will have; one that is read
		// after may speak of an edit that is not sent yet.
		var confirms []byte
		if r.out.asking() {
			confirms = r.stateVector()
		}
		b := r.out.take()
		if b.empty() {
			select {
			case <-r.out.wake:
				continue
			case <-ctx.Done():
				return nil, false, false
			}
		}
		frames = b.frames
		if len(b.tickets) > 0 || b.full {
			have := confirms
			if b.full || have == nil {
				have, confirms = []byte{0}, nil // an empty document's: asks for everything
			}
			r.out.asked(syncRequest{confirms: confirms, tickets: b.tickets, full: b.full})
			frames = append(frames, wire.AppendSyncStep1(nil, have))
		}
		return frames, b.last, true
	}
}

// stateVector is the replica's, or nil if it is broken, which comes out when
// the next update is applied to it.
func (r *Room) stateVector() []byte {
	sv, err := r.cfg.Replica.StateVector()
	if err != nil {
		return nil
	}
	return sv
}

// receive takes one frame of the room. What it does not know, and what is
// malformed, is passed over: the server does the same with ours, and a peer's
// fault must not end everybody's session.
func (r *Room) receive(b []byte, v *connState) *CloseError {
	f, err := wire.ParseFrame(b, r.cfg.Limits)
	if err != nil {
		r.log.Warn("room sent a malformed frame", "path", r.Path(), "bytes", len(b), "error", err)
		return nil
	}
	switch f.Kind {
	case wire.SyncStep1:
		return r.onStep1(f.Payload, v)
	case wire.SyncStep2:
		return r.onStep2(f.Payload, v)
	case wire.Update:
		if v.have {
			return r.apply(f.Payload)
		}
		if v.size += len(f.Payload); v.size > maxEarly {
			return &CloseError{Code: CodeConnection, Action: Rejoin, Err: errors.New("too many updates before the first synchronisation")}
		}
		v.early = append(v.early, f.Payload)
	case wire.Awareness:
		r.onAwareness(f.Payload)
	case wire.Raw:
		return r.onRaw(f)
	case wire.Unknown:
	}
	return nil
}

// onStep1 answers with what the server lacks: at once in a synced room, else
// when our own synchronisation is through.
func (r *Room) onStep1(sv []byte, v *connState) *CloseError {
	if err := wire.CheckStateVector(sv, r.cfg.Limits); err != nil {
		r.log.Warn("room sent a malformed state vector", "path", r.Path(), "error", err)
		return nil
	}
	v.serverSV = sv
	if !v.synced {
		return r.completeSync(v)
	}
	diff, err := r.cfg.Replica.Diff(sv)
	if err != nil {
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	r.out.answer(wire.AppendSyncStep2(nil, diff))
	v.confirmOwed()
	return nil
}

// onStep2 takes the answer to the oldest of our SYNC1s.
func (r *Room) onStep2(update []byte, v *connState) *CloseError {
	req, asked := r.out.answered()
	if end := r.applyState(update, req.full); end != nil {
		return end
	}
	if !asked {
		return nil
	}
	if req.confirms != nil {
		r.mu.Lock()
		r.confirmed = req.confirms
		r.mu.Unlock()
	}
	r.confirm(req.tickets, v)
	if v.have {
		return nil
	}
	v.have = true
	for _, u := range v.early {
		if end := r.apply(u); end != nil {
			return end
		}
	}
	v.early = nil
	return r.completeSync(v)
}

// completeSync makes the room Synced once both have told the other what they have
// and our replica is up to date; what the room lacks goes out first.
func (r *Room) completeSync(v *connState) *CloseError {
	if v.synced || !v.have || v.serverSV == nil {
		return nil
	}
	if end := r.sameHistory(v.serverSV); end != nil {
		return end
	}
	// Edits go into the outbox from here on; those made before are in the
	// diff. One made in between is in both, which costs nothing.
	r.out.keepEdits()
	diff, err := r.cfg.Replica.Diff(v.serverSV)
	if err != nil {
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	if r.State() == Joining {
		// All that we have so far is the room's own.
		sv, err := r.cfg.Replica.StateVector()
		if err != nil {
			return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
		}
		r.mu.Lock()
		r.confirmed = sv
		r.mu.Unlock()
	}
	v.synced = true
	r.out.start(wire.AppendSyncStep2(nil, diff))
	first := r.State() == Joining
	r.setState(Synced)
	r.publish()
	if first {
		close(r.ready)
	}
	return nil
}

// sameHistory compares what the server says it has with what it has confirmed
// before. A server that has less has rebuilt the room, and then the same ids
// stand for other content (client id 0 is given to what is read from the file):
// merging would splice two documents into one.
func (r *Room) sameHistory(serverSV []byte) *CloseError {
	r.mu.Lock()
	confirmed := r.confirmed
	r.mu.Unlock()
	if confirmed == nil {
		return nil
	}
	had, err := wire.ParseStateVector(confirmed, r.cfg.Limits)
	if err != nil {
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	has, err := wire.ParseStateVector(serverSV, r.cfg.Limits)
	if err != nil {
		return &CloseError{Code: CodeUnreadable, Action: Discard, Err: err}
	}
	for client, clock := range had {
		if has[client] < clock {
			return &CloseError{Code: CodeHistory, Action: Discard, Reason: "the server no longer has edits that it had confirmed"}
		}
	}
	return nil
}

// apply takes one update into the replica. An update with a gap before it, or
// one that is malformed, asks for the whole state once more.
func (r *Room) apply(update []byte) *CloseError {
	err := r.cfg.Replica.Apply(update)
	if err == nil {
		return nil
	}
	if r.brokenReplica() {
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	r.log.Warn("room sent an update that cannot stand alone, asking for the whole state", "path", r.Path(), "error", err)
	r.out.repair()
	return nil
}

// applyState takes a SYNC2. When not even the whole state is complete, somebody
// has left a gap in it for good; what we have of it is all there is to have.
func (r *Room) applyState(update []byte, full bool) *CloseError {
	err := r.cfg.Replica.Apply(update)
	switch {
	case err == nil:
		return nil
	case r.cfg.IsPending(err):
		if !full {
			r.out.repair()
		} else {
			r.log.Warn("the room's own state has a gap", "path", r.Path(), "error", err)
		}
		return nil
	case r.brokenReplica():
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	return &CloseError{Code: CodeUnreadable, Action: GiveUp, Err: err}
}

// brokenReplica tells an error of the replica itself from one of the update: a
// replica that cannot say what it has is of no use any more.
func (r *Room) brokenReplica() bool { return r.stateVector() == nil }

// onRaw takes the server's words outside y-protocols.
func (r *Room) onRaw(f wire.Frame) *CloseError {
	m, err := wire.ParseRaw(f)
	if err != nil {
		r.log.Warn("room sent a message that cannot be read", "path", r.Path(), "error", err)
		return nil
	}
	switch m.Type {
	case "save":
		r.saved(m.ResponseTo, m.Status)
	case "conflict":
		return &CloseError{Code: CodeConflict, Action: Discard, Reason: "the server could not apply an edit to its history"}
	}
	return nil
}
