package rtc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// Room is one joined room. Make it with [Join] and end it with [Room.Leave].
type Room struct {
	cfg     Config
	session jupyter.CollabSession // changes only while Joining
	log     *slog.Logger
	out     *outbox

	ctx       context.Context // ends the room
	cancel    context.CancelFunc
	ready     chan struct{} // closed at the first Synced
	joined    time.Time     // when Join began
	done      chan struct{} // closed when run has ended
	lastHeard atomic.Int64  // when the server last sent something, in nanoseconds
	broke     *CloseError   // run's: how a connection ended before the first Synced

	edited    atomic.Bool // by us
	asksSaves sync.Once   // after the first edit

	mu        sync.Mutex
	path      jupyter.Path // changes when the file is renamed
	state     State
	changed   chan struct{} // closed when the state changes next
	lost      time.Time     // when the connection was last lost
	err       error
	leaving   bool
	confirmed []byte // state vector that the room has had for certain
	saves     map[uint64]chan string
	saveID    uint64
	presence  presence
	stir      chan struct{} // there is news of faces

	*company
}

// ID is the room's name, "format:type:file id".
func (r *Room) ID() string { return r.session.RoomID() }

// FileID is the server's id of the room's file.
func (r *Room) FileID() string { return r.session.FileID }

// SessionID is the server's session, one per server process.
func (r *Room) SessionID() string { return r.session.SessionID }

// Path is the path by which the room is joined again.
func (r *Room) Path() jupyter.Path {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.path
}

// Rename says that the file has another path now. The room is the same: its id does not depend on the path.
func (r *Room) Rename(path jupyter.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.path = path
}

// State is the room's state.
func (r *Room) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// WaitSynced returns when the room is Synced, with the room's error when it has ended, or with the context's.
func (r *Room) WaitSynced(ctx context.Context) error {
	for {
		r.mu.Lock()
		state, err, changed := r.state, r.err, r.changed
		r.mu.Unlock()
		switch {
		case state == Synced:
			return nil
		case err != nil:
			return err
		case state == Closed:
			return ErrLeft
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the room (%v): %w", state, context.Cause(ctx))
		}
	}
}

// LostAt is when the connection was last lost, zero if it never was.
func (r *Room) LostAt() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// heard notes that the server has sent something.
func (r *Room) heard() {
	r.lastHeard.Store(time.Now().UnixNano())
	if r.cfg.Server != nil {
		r.cfg.Server.Health.Answered()
	}
	if r.cfg.Heard != nil {
		r.cfg.Heard()
	}
}

// Quiet is how long the server has sent nothing over the room's connection, not even an answer to a ping.
func (r *Room) Quiet() time.Duration { return time.Since(time.Unix(0, r.lastHeard.Load())) }

// Done is closed when the room has ended; Err then says why.
func (r *Room) Done() <-chan struct{} { return r.done }

// Err is nil until the room has ended, then a *CloseError.
func (r *Room) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// setState takes one step of the state machine; a step that the machine does not allow is a bug in this package.
func (r *Room) setState(to State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == to {
		return
	}
	if !r.state.mayBecome(to) {
		panic(fmt.Sprintf("rtc: room %s cannot go from %v to %v", r.ID(), r.state, to))
	}
	r.log.Debug("room state", "room", r.ID(), "from", r.state.String(), "to", to.String())
	if to == Lost || to == Closed && r.state == Synced {
		r.lost = time.Now()
	}
	since := time.Time{}
	if to == Synced {
		since = time.Now()
	}
	r.heardSince(since)
	r.state = to
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *Room) isLeaving() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leaving || r.ctx.Err() != nil
}

// finish ends the room and tells all waiting callers why.
func (r *Room) finish(err *CloseError) {
	r.cfg.Replica.OnUpdate(nil)
	r.mu.Lock()
	if r.leaving {
		err = &CloseError{Code: CodeLeft, Action: GiveUp}
	}
	r.err = err
	r.mu.Unlock()
	r.setState(Closed)
	r.out.fail(err)
	r.failSaves()
}

// failSaves tells the callers that wait for the outcome of a save that it will not come over this connection.
func (r *Room) failSaves() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.saves {
		close(c)
	}
	clear(r.saves)
}

// Barrier returns when the room has everything that was written to the replica before the call. While the connection is
// lost it waits for the next one.
//
// Its error is the context's, or the room's CloseError. Then it is unknown whether the unconfirmed edits reached the
// room; with [Discard] they count as not made, as far as anybody can tell.
func (r *Room) Barrier(ctx context.Context) error {
	if r.edited.Load() && r.State() == Synced {
		r.asksSaves.Do(r.peersChanged) // with the first edit we ask for its being saved
	}
	t := newTicket()
	if err := r.enqueue(func() { r.out.wait(t) }); err != nil {
		return err
	}
	select {
	case err := <-t:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait until the room has the edit (%v): %w", r.State(), ctx.Err())
	}
}

// enqueue runs put unless the room has ended; finish cannot slip in between.
func (r *Room) enqueue(put func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if r.state == Closed {
		return ErrLeft
	}
	put()
	return nil
}

// Save asks the server to write the document to its file, and returns the server's outcome: "success", "skipped" or
// "failed". It is about the attempt: a read-only file also gives "success".
//
// A server with jupyter-server-documents has no such request; see jsd.go.
func (r *Room) Save(ctx context.Context) (string, error) {
	if srv := r.cfg.Server; srv != nil {
		defer srv.Changes.Begin()() // the file
	}
	if r.Documents() {
		return "unasked", r.Barrier(ctx) // it saves by itself, when the room has all edits
	}
	c := make(chan string, 1)
	var id uint64
	if st := r.State(); st != Synced {
		return "", fmt.Errorf("ask for a save: the room is %v", st)
	}
	err := r.enqueue(func() {
		r.saveID++
		id = r.saveID
		r.saves[id] = c
		r.out.update(wire.AppendSave(nil, id))
	})
	if err != nil {
		return "", fmt.Errorf("ask for a save: %w", err)
	}
	defer func() {
		r.mu.Lock()
		delete(r.saves, id)
		r.mu.Unlock()
	}()
	select {
	case s, ok := <-c:
		if !ok {
			return "", errors.New("ask for a save: the connection was lost before the answer")
		}
		return s, nil
	case <-ctx.Done():
		return "", fmt.Errorf("ask for a save: no answer: %w", ctx.Err())
	}
}

// saved hands the outcome of a save to its caller.
func (r *Room) saved(id uint64, status string) {
	r.mu.Lock()
	c := r.saves[id]
	delete(r.saves, id)
	r.mu.Unlock()
	if c != nil {
		c <- status
	}
}

// saveTries is how often a leaving room asks for its save: once more for each connection that was lost before the
// answer.
const saveTries = 3

// saveWait is the wait for the outcome of the first of these saves; it doubles with each further one. The server drops
// a pending save, and its answer, when another client asks for one.
const saveWait = 2 * time.Second

// LastSave waits until the room has our edits and asks for a save, several times if necessary. Call it last before
// [Room.Depart]. It waits for a connection that is lost meanwhile. In a room that has ended it does nothing.
func (r *Room) LastSave(ctx context.Context) error {
	if r.Err() == nil {
		if err := r.lastSave(ctx); err != nil && !errors.Is(err, ErrLeft) {
			return fmt.Errorf("leave room %s: %w", r.Path(), err)
		}
	}
	return nil
}

func (r *Room) lastSave(ctx context.Context) error {
	var err error
	patience := saveWait
	for range saveTries {
		if err := r.Barrier(ctx); err != nil {
			return err
		}
		saving, stop := context.WithTimeout(ctx, patience)
		_, err = r.Save(saving)
		stop()
		patience *= 2
		if err == nil {
			// The server writes into the document what it knows of the save, which helps callers that check it; without
			// it nothing is lost.
			_ = r.Barrier(ctx)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

// Leave waits until the room has our edits, asks for a save, takes us out of its awareness and closes the connection.
// The context bounds all of it: when it ends, the room is closed anyway, and the error says what is missing. Leaving a
// room that has ended does nothing.
func (r *Room) Leave(ctx context.Context) error {
	err := r.LastSave(ctx)
	r.Depart(ctx)
	return err
}

// Depart is Leave without a save, for a caller who knows that the room has our edits and the file is up to date.
func (r *Room) Depart(ctx context.Context) {
	r.mu.Lock()
	r.leaving = true
	r.mu.Unlock()
	if r.State() == Synced && r.out.finish(r.goodbye()) {
		select {
		case <-r.done:
		case <-ctx.Done():
		}
	}
	r.cancel()
	<-r.done
}
