package rtc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// Room is a joined room. Join makes it and [Room.Leave] ends it.
type Room struct {
	cfg     Config
	session jupyter.CollabSession // changes only while Joining
	log     *slog.Logger
	out     *outbox

	ctx         context.Context // ends the room
	cancel      context.CancelFunc
	ready       chan struct{} // closed at the first Synced
	joined      time.Time     // when Join began
	done        chan struct{} // closed when run has ended
	lastMessage atomic.Int64  // when the server last sent something, in nanoseconds
	broke       *CloseError   // owned by run: how a connection ended before the first Synced

	edited    atomic.Bool // locally
	asksSaves sync.Once   // after the first edit

	mu        sync.Mutex
	path      jupyter.Path // changes when the file is renamed
	state     State
	changed   chan struct{} // closed when the state changes next
	lost      time.Time     // when the connection was last lost
	err       error
	leaving   bool
	confirmed []byte // latest state vector that the room has confirmed
	saves     map[uint64]chan string
	saveID    uint64
	presence  presence
	stir      chan struct{} // signals a change of appearances

	*company
}

// ID is the room's name, "format:type:file id".
func (r *Room) ID() string { return r.session.RoomID() }

// FileID is the server's id of the room's file.
func (r *Room) FileID() string { return r.session.FileID }

// SessionID is the server's session, one per server process.
func (r *Room) SessionID() string { return r.session.SessionID }

// Path is the path for rejoining the room.
func (r *Room) Path() jupyter.Path {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.path
}

// Rename records the file's new path. The room is the same: its id does not depend on the path.
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

// WaitSynced returns nil when the room is Synced, the room's error when it has ended, or the context's.
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

// noteMessage records that the server has sent something.
func (r *Room) noteMessage() {
	r.lastMessage.Store(time.Now().UnixNano())
	if r.cfg.Server != nil {
		r.cfg.Server.Health.Answered()
	}
	if r.cfg.Heard != nil {
		r.cfg.Heard()
	}
}

// Quiet is how long the server has sent nothing over the room's connection, not even a pong.
func (r *Room) Quiet() time.Duration { return time.Since(time.Unix(0, r.lastMessage.Load())) }

// Done is closed when the room has ended; Err then returns the reason.
func (r *Room) Done() <-chan struct{} { return r.done }

// Err is nil until the room has ended, then a *CloseError.
func (r *Room) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// setState makes one transition of the state machine. It panics on one that the machine does not allow, which is a
// bug in this package.
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
	r.seenSince(since)
	r.state = to
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *Room) isLeaving() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leaving || r.ctx.Err() != nil
}

// finish ends the room with err, and ends all waiting callers.
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

// failSaves notifies the callers that wait for a save that its outcome will not come over this connection.
func (r *Room) failSaves() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.saves {
		close(c)
	}
	clear(r.saves)
}

// Barrier returns when the room has all earlier edits of the replica. If the connection is lost it waits for the next
// one.
//
// Its error is the context's, or the room's CloseError. Then it is unknown whether the unconfirmed edits reached the
// room; with [Discard] they count as not made, as far as can be known.
func (r *Room) Barrier(ctx context.Context) error {
	if r.edited.Load() && r.State() == Synced {
		r.asksSaves.Do(r.peersChanged) // from the first edit on we ask for autosave
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

// enqueue runs put unless the room has ended. It excludes finish meanwhile.
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
		defer srv.Changes.Begin()() // the file changes
	}
	if r.Documents() {
		return "unasked", r.Barrier(ctx) // it saves by itself once the room has all edits
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

// saved passes the outcome of a save to its caller.
func (r *Room) saved(id uint64, status string) {
	r.mu.Lock()
	c := r.saves[id]
	delete(r.saves, id)
	r.mu.Unlock()
	if c != nil {
		c <- status
	}
}

// saveTries bounds the save requests of a leaving room: the first, and one for each connection lost before the
// answer.
const saveTries = 3

// saveWait is the wait for the outcome of the first of these saves; it doubles with each further one. The server
// drops a pending save, and its answer, when another client requests one.
const saveWait = 2 * time.Second

// LastSave waits until the room has our edits and requests a save, several times if necessary. Call it last before
// [Room.Depart]. If the connection is lost meanwhile, it waits for the next one. In a room that has ended it does
// nothing.
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
			// The server then records the save in the document, which helps clients that check it; without it nothing
			// is lost.
			_ = r.Barrier(ctx)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

// Leave waits until the room has our edits, requests a save, removes us from its awareness and closes the connection.
// When the context ends, the room is closed anyway, and the error says what is missing. Leaving a room that has ended
// does nothing.
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

// State is the state of a room. The state machine is:
//
//	Joining ──first SYNC2──▶ Synced ──connection lost──▶ Lost
//	   │                       ▲                          │ session is the same,
//	   │                       │ SYNC2 applied and        │ socket open again
//	   │                       │ our own edits sent       ▼
//	   │                       └────────────────────── CatchingUp ──▶ Lost
//	   │
//	   └──▶ Closed ◀── from every state: left, refused, or to be discarded
//
// A connection lost in Joining is made again, within Join's deadline. Edits are allowed in Synced, Lost and CatchingUp;
// they are sent when the room is Synced (again).
type State int

// The states of a room.
const (
	// Joining: the first synchronisation is pending; the replica is empty and must not be written.
	Joining State = iota
	// Synced: the replica follows the room.
	Synced
	// Lost: the connection broke; another one is being made.
	Lost
	// CatchingUp: connected again, waiting for the edits that the replica lacks.
	CatchingUp
	// Closed: final; Room.Err returns the reason.
	Closed
)

var stateNames = [...]string{
	Joining: "joining", Synced: "synced", Lost: "lost", CatchingUp: "catching up", Closed: "closed",
}

// String returns the state's name in messages and logs.
func (s State) String() string { return stateNames[s] }

// next lists the transitions that the machine allows.
var next = map[State][]State{
	Joining:    {Synced, Closed},
	Synced:     {Lost, Closed},
	Lost:       {CatchingUp, Closed},
	CatchingUp: {Synced, Lost, Closed},
}

// mayBecome reports whether the machine allows the step from s to to.
func (s State) mayBecome(to State) bool { return slices.Contains(next[s], to) }
