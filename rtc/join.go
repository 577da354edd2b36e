package rtc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// Join asks the server for a session on cfg.Path, joins its room and returns when the replica has all of the room's
// state. The replica must be empty and new: its client id must never have been in the room. A connection that breaks
// meanwhile is replaced while there is time.
//
// The server makes a session and a room for any path, even for a missing file, and such rooms harm it: check first
// that the file exists and has the Type. The error is a *jupyter.Error if the server answered with one, a *CloseError
// if the room refused us, or matches the context's.
func Join(ctx context.Context, cfg Config) (*Room, error) {
	cfg.Timing = cfg.Timing.withDefaults()
	cfg.Limits = cmp.Or(cfg.Limits, wire.DefaultLimits)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Refusals = cmp.Or(max(cfg.Refusals, 0), 3)
	if cfg.IsPending == nil {
		cfg.IsPending = func(error) bool { return false }
	}
	ctx, stop := context.WithTimeout(ctx, cfg.Timing.Join)
	defer stop()

	session, ws, err := enterRetrying(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("join room %s: %w", cfg.Path, err)
	}

	r := &Room{
		cfg:     cfg,
		path:    cfg.Path,
		session: session,
		log:     cfg.Logger,
		stir:    make(chan struct{}, 1),
		ready:   make(chan struct{}),
		done:    make(chan struct{}),
		changed: make(chan struct{}),
		joined:  time.Now(),

		company:  newCompany(cfg.Replica.ClientID(), cfg.Met),
		saves:    map[uint64]chan string{},
		presence: presence{appearances: map[uint64]*Appearance{}, further: map[string]json.RawMessage{}},
	}
	r.out = newOutbox(r.table.Unsent)
	r.ctx, r.cancel = context.WithCancel(context.Background())
	cfg.Replica.OnUpdate(func(update []byte) {
		r.edited.Store(true)
		r.out.update(wire.AppendUpdate(nil, update))
	})
	go r.run(ws)

	select {
	case <-r.ready:
		return r, nil
	case <-r.done:
		return nil, fmt.Errorf("join room %s: %w", cfg.Path, r.Err())
	case <-ctx.Done():
		r.cancel()
		<-r.done
		if r.broke != nil { // run, which wrote it, has ended
			return nil, fmt.Errorf("join room %s: no first synchronisation: %w; the connection broke: %s", cfg.Path, ctx.Err(), r.broke.Error())
		}
		return nil, fmt.Errorf("join room %s: no first synchronisation: %w", cfg.Path, ctx.Err())
	}
}

// enterRetrying enters the room, and retries while the connection breaks and there is time left.
func enterRetrying(ctx context.Context, cfg Config) (session jupyter.CollabSession, ws *websocket.Conn, err error) {
	failed := false
	err = jupyter.Retry(ctx, cfg.Server, cfg.Timing.BackoffMin, cfg.Timing.BackoffMax, func() (final bool, err error) {
		// An attempt that hangs must leave time for a second one.
		attempt, stop := context.WithTimeout(ctx, cfg.Timing.Join/2)
		defer stop()
		session, ws, err = enter(attempt, cfg)
		switch {
		case err == nil:
			return true, nil
		// A socket can notice the deadline before the context does.
		case attempt.Err() != nil, errors.Is(err, context.DeadlineExceeded), broke(err):
		case errors.Is(err, jupyter.ErrServer) && !failed:
			// The server fails like this on a file id that has just become invalid, or while it updates its index of
			// files; its next answer is right.
			failed = true
		default:
			return true, err
		}
		cfg.Logger.Debug("joining a room failed, trying again", "path", cfg.Path, "error", err)
		return false, err
	})
	return session, ws, err
}

// Pauses between attempts to rejoin a lost room.
const (
	rejoinMin = 200 * time.Millisecond
	rejoinMax = 10 * time.Second
)

// JoinAfresh calls join, which joins a lost room with an empty replica, until it succeeds, the context ends, or
// joining again cannot help: the error is a *CloseError with [GiveUp], or matches one of final.
func JoinAfresh(ctx context.Context, server *jupyter.Server, join func() error, final ...error) error {
	return jupyter.Retry(ctx, server, rejoinMin, rejoinMax, func() (bool, error) {
		err := join()
		var end *CloseError
		return errors.As(err, &end) && end.Action == GiveUp || slices.ContainsFunc(final, func(f error) bool { return errors.Is(err, f) }), err
	})
}

// broke reports whether err is a lost connection, as opposed to a failed dial or an answer.
func broke(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) && op.Op != "dial"
}

// enter requests a session and opens a socket to its room.
func enter(ctx context.Context, cfg Config) (jupyter.CollabSession, *websocket.Conn, error) {
	session, err := cfg.Server.Rooms.Session(ctx, cfg.Path, cfg.Format, cfg.Type)
	if err != nil {
		return session, nil, err
	}
	ws, err := cfg.Server.Rooms.Dial(ctx, session.RoomID(), session.SessionID)
	return session, ws, err
}

// run owns all of the room's connections.
func (r *Room) run(ws *websocket.Conn) {
	defer close(r.done)
	defer r.cancel()
	refused, session := 0, r.session.SessionID
	for {
		why := r.discardIfUnsure(r.serve(ws))
		r.out.shut()
		r.failSaves()
		if why.Action != Rejoin || r.isLeaving() {
			r.finish(why)
			return
		}
		if now := r.SessionID(); !why.wordless || now != session { // a restarted server starts the count again
			refused, session = 0, now
		}
		if why.wordless {
			refused++
		}
		if refused >= r.cfg.Refusals {
			r.finish(notLoaded(refused))
			return
		}
		joining := r.State() == Joining
		if joining {
			r.noteBroken(why)
			if err := r.cfg.Server.Health.CheckWebsockets(r.ctx); errors.Is(err, jupyter.ErrNoWebsockets) {
				r.finish(&CloseError{Code: CodeRefused, Action: GiveUp, Err: err})
				return
			}
		} else {
			r.setState(Lost)
		}
		r.log.Info("room connection lost, rejoining", "path", r.Path(), "error", why)
		var end *CloseError
		if ws, end = r.reconnect(); end != nil {
			r.finish(end)
			return
		}
		if !joining {
			r.setState(CatchingUp)
		}
	}
}

// notLoaded is the end of a room that the server cannot make: its file raises an error on the server, which the
// connection does not report.
func notLoaded(refusals int) *CloseError {
	return &CloseError{
		Code: CodeNotLoaded, Action: GiveUp, Refusals: refusals,
		Reason: fmt.Sprintf("the server answers requests, but closed the connection %d times before it sent any of the document", refusals),
	}
}

// noteBroken records that a connection broke during the first synchronisation. The replica's content so far is all
// from the room.
func (r *Room) noteBroken(why *CloseError) {
	r.broke = why
	if sv := r.stateVector(); len(sv) > 1 { // an empty document's vector is a single zero
		r.mu.Lock()
		r.confirmed = sv
		r.mu.Unlock()
	}
}

// adoptSession switches to another session of the server, if the replica has nothing of the former one yet.
func (r *Room) adoptSession(s jupyter.CollabSession) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != Joining || r.confirmed != nil {
		return false
	}
	r.session = s
	return true
}

// reconnect opens another socket to the same session, with growing pauses, until it succeeds or can no longer
// succeed.
func (r *Room) reconnect() (*websocket.Conn, *CloseError) {
	t := r.cfg.Timing
	deadline := time.Now().Add(t.GiveUp)
	pause := t.BackoffMin
	for {
		// Half of the pause is random, so that rooms lost together do not all reconnect at once.
		wait := pause/2 + rand.N(pause/2+1)
		select {
		case <-r.ctx.Done():
			return nil, &CloseError{Code: CodeConnection, Action: Discard, Err: r.ctx.Err()}
		case <-time.After(wait):
		case <-r.cfg.Server.Health.Back():
		}
		ws, err := r.dialAgain()
		if err == nil {
			return ws, nil
		}
		var end *CloseError
		if errors.As(err, &end) {
			return nil, end
		}
		if time.Now().After(deadline) {
			return nil, &CloseError{Code: CodeConnection, Action: Discard, Err: err}
		}
		pause = min(2*pause, t.BackoffMax)
	}
}

// dialAgain makes one attempt. It requests the session first, because only the same session has the replica's
// history.
func (r *Room) dialAgain() (*websocket.Conn, error) {
	ctx, stop := context.WithTimeout(r.ctx, r.cfg.Timing.Join)
	defer stop()
	_, err := r.cfg.Server.Contents.Get(ctx, r.Path(), jupyter.ContentsOptions{})
	if errors.Is(err, jupyter.ErrNotFound) {
		return nil, &CloseError{Code: CodeNotFound, Action: GiveUp, Err: err}
	}
	if err != nil {
		return nil, err
	}
	s, err := r.cfg.Server.Rooms.Session(ctx, r.Path(), r.cfg.Format, r.cfg.Type)
	if errors.Is(err, jupyter.ErrNoCollaboration) {
		return nil, &CloseError{Code: CodeRefused, Action: GiveUp, Err: err}
	}
	if err != nil {
		return nil, err
	}
	if (s.SessionID != r.session.SessionID || s.FileID != r.session.FileID) && !r.adoptSession(s) {
		return nil, &CloseError{Code: CodeSession, Action: Discard, Reason: "the server began a new session"}
	}
	return r.cfg.Server.Rooms.Dial(ctx, s.RoomID(), s.SessionID)
}
