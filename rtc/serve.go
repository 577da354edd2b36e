package rtc

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// maxEarly bounds the updates that are kept until the first SYNC2 of a connection.
const maxEarly = 64 << 20

// connState is the state of one connection.
type connState struct {
	serverSV []byte   // from the server's SYNC1
	early    [][]byte // updates that arrived before our SYNC2
	size     int      // total bytes of early
	have     bool     // our SYNC2 has been applied
	synced   bool
	owed     []ticket // see Room.confirm
}

// serve synchronises the room over one socket until it ends, and returns the reason.
func (r *Room) serve(ws *websocket.Conn) *CloseError {
	sv, err := r.cfg.Replica.StateVector()
	if err != nil {
		_ = ws.Close() // nothing was sent yet
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	hello := wire.AppendSyncStep1(nil, sv)
	r.out.asked(syncRequest{})
	l := newLink(ws, r.cfg.Timing, r.silence, r.noteMessage, func(ctx context.Context) ([][]byte, bool, bool) {
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
	loading, suspected := time.NewTicker(r.cfg.Timing.Ping), false
	defer loading.Stop()
	var v connState
	defer v.confirmOwed()
	stir, spoken := r.stir, false
	var due, rest <-chan time.Time
	for {
		select {
		case <-stir:
			stir, due = nil, time.After(updateWait)
		case <-due:
			r.out.announce()
			rest = time.After(updateRest)
		case <-rest:
			stir = r.stir
		case frame, ok := <-l.in:
			if !ok {
				end := closeReason(l.err)
				end.wordless = !spoken && !timedOut(l.err)
				return end
			}
			spoken = true
			loaded := v.synced
			end := r.receive(frame, &v)
			l.release(frame)
			if end != nil {
				return end
			}
			if v.synced && !loaded {
				if err := l.deadline(); err != nil { // from here on the server answers pings
					return closeReason(err)
				}
			}
		case now := <-renew.C:
			r.table.Expire(now)
			r.publish() // renew our states, so that peers keep them
		case <-loading.C:
			abandoned := r.State() == Joining && r.abandoned()
			if abandoned && suspected { // a server that has become free had time to send something here
				return &CloseError{Code: CodeConnection, Action: Rejoin, Reason: "the connection receives nothing"}
			}
			suspected = abandoned
			loading.Reset(r.cfg.Timing.Ping) // the request took time
		case <-r.ctx.Done():
			return &CloseError{Code: CodeConnection, Action: Discard, Err: r.ctx.Err()}
		}
	}
}

// timedOut reports whether a connection ended because nothing came over it, not because the server closed it.
func timedOut(err error) bool {
	var slow net.Error
	return errors.Is(err, context.Canceled) || errors.As(err, &slow) && slow.Timeout()
}

// silence is how long the server may send nothing over a connection. While it loads the document for us it sends
// nothing over our connection, not even a pong, although it may answer other clients now and then.
func (r *Room) silence() time.Duration {
	if r.State() == Joining {
		return max(r.cfg.Timing.Join, r.cfg.Timing.Silence)
	}
	return r.cfg.Timing.Silence
}

// abandoned reports whether the connection has been silent for too long although the server answers other requests,
// or does not run.
func (r *Room) abandoned() bool {
	long := r.cfg.Timing.Join / 2 // an attempt that hangs must leave time for a second one
	return r.Quiet() >= long && !errors.Is(r.cfg.Server.Health.Busy(r.ctx), jupyter.ErrBusy)
}

// nextFrames waits for the outbox and encodes its batch: the edits, followed by one SYNC1 for all tickets.
func (r *Room) nextFrames(ctx context.Context) (frames [][]byte, last, ok bool) {
	for {
		// The outbox gets each edit before the replica's state vector covers it. So a vector read before the outbox is
		// emptied describes what the room will have; a vector read afterwards may cover an edit not yet sent.
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
				have, confirms = []byte{0}, nil // an empty document's vector: asks for everything
			}
			r.out.asked(syncRequest{confirms: confirms, tickets: b.tickets, full: b.full})
			frames = append(frames, wire.AppendSyncStep1(nil, have))
		}
		return frames, b.last, true
	}
}

// stateVector returns the replica's state vector, or nil if the replica is broken; then the next update fails as
// well.
func (r *Room) stateVector() []byte {
	sv, err := r.cfg.Replica.StateVector()
	if err != nil {
		return nil
	}
	return sv
}

// receive handles one frame of the room. It ignores unknown and malformed frames, as the server does with ours: a
// peer's fault must not end the session for all.
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

// onStep1 answers a SYNC1: at once in a synced room, else when our own synchronisation is complete.
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

// onStep2 handles the answer to the oldest of our SYNC1s.
func (r *Room) onStep2(update []byte, v *connState) *CloseError {
	req, asked := r.out.answered()
	first := !v.have && r.nothingYet() // for an empty replica, it is the whole state
	if end := r.applyState(update, req.full || first); end != nil {
		// The room had these callers' edits before it answered; the callers get the room's end as error.
		r.out.owe(req.tickets)
		end.Unsure = len(req.tickets) > 0
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

// completeSync makes the room Synced once both sides have exchanged state vectors and our replica is up to date. The
// updates that the room lacks are sent first.
func (r *Room) completeSync(v *connState) *CloseError {
	if v.synced || !v.have || v.serverSV == nil {
		return nil
	}
	if end := r.sameHistory(v.serverSV); end != nil {
		return end
	}
	// From here on the outbox keeps edits; earlier ones are in the diff. An edit in between is in both, which does no
	// harm.
	r.out.keepEdits()
	diff, err := r.cfg.Replica.Diff(v.serverSV)
	if err != nil {
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	if r.State() == Joining {
		// The replica's content so far is all from the room.
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

// sameHistory compares the server's state with the state it has confirmed before. A server with less has rebuilt the
// room, and the same ids then mean other content (text read from the file gets client id 0): merging would mix two
// documents.
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
			return &CloseError{Code: CodeHistory, Action: Discard, Reason: "the server lost edits that it had confirmed"}
		}
	}
	return nil
}

// apply applies one update to the replica. If the update is malformed, or an earlier one is missing, it requests the
// whole state.
func (r *Room) apply(update []byte) *CloseError {
	err := r.cfg.Replica.Apply(update)
	if err == nil {
		return nil
	}
	if r.brokenReplica() {
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	r.log.Warn("room sent an update that cannot be applied, asking for the whole state", "path", r.Path(), "error", err)
	r.out.repair()
	return nil
}

// nothingYet reports whether no connection has received any of the room's state.
func (r *Room) nothingYet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state == Joining && r.confirmed == nil
}

// applyState applies a SYNC2. If even the whole state has a gap, the gap is permanent: a document that cannot be read
// whole must not be shown or written as if it were. Deletions of missing content leave nothing unread.
func (r *Room) applyState(update []byte, full bool) *CloseError {
	apply := r.cfg.Replica.ApplyDiff
	if full {
		apply = r.cfg.Replica.ApplyState
	}
	err := apply(update)
	switch {
	case err == nil:
		return nil
	case r.cfg.IsPending(err):
		if !full {
			r.out.repair()
			return nil
		}
		r.log.Warn("the room's own state has a gap", "path", r.Path(), "error", err)
		if errors.As(err, new(interface{ Gap() string })) {
			return &CloseError{Code: CodeGap, Action: GiveUp, Err: err}
		}
		return nil
	case r.brokenReplica():
		return &CloseError{Code: CodeReplica, Action: Discard, Err: err}
	}
	return &CloseError{Code: CodeUnreadable, Action: GiveUp, Err: err}
}

// brokenReplica reports whether the replica itself is broken, not the update: a broken one has no state vector.
func (r *Room) brokenReplica() bool { return r.stateVector() == nil }

// onRaw handles the server's messages outside y-protocols.
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
