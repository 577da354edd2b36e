// Package fakeroom has a room for tests of time and faults only: it needs no server, and imports nothing of session, so
// that session's own tests can use it as well.
//
// # Concurrency
//
// A room may be used by several goroutines at once, and starts none.
package fakeroom

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Room replaces a room of package rtc, and has its methods. It confirms everything at once, until End.
type Room struct {
	Unsaving   atomic.Bool  // whether the people have autosave off
	Saves      atomic.Int32 // how many saves were requested
	SaveTakes  atomic.Int64 // a time.Duration
	Left       atomic.Bool
	LeaveTakes atomic.Int64 // a time.Duration
	Silent     atomic.Bool  // whether it confirms nothing

	once sync.Once
	done chan struct{}
	mu   sync.Mutex
	err  error
}

// New returns a room that the agent has joined.
func New() *Room { return &Room{done: make(chan struct{})} }

// ID returns the room's id.
func (r *Room) ID() string { return "json:notebook:file" }

// FileID returns the file's id.
func (r *Room) FileID() string { return "file" }

// SessionID returns the collaboration session's id.
func (r *Room) SessionID() string { return "session" }

// Peers returns nil.
func (r *Room) Peers() []rtc.Peer { return nil }

// Since returns the zero time.
func (r *Room) Since() time.Time { return time.Time{} }

// Named finds no peer.
func (r *Room) Named(uint64) (name string, agent, ok bool) { return "", false, false }

// Sole finds no peer.
func (r *Room) Sole() (uint64, bool) { return 0, false }

// Replicas returns nil.
func (r *Room) Replicas() []uint64 { return nil }

// SetAppearance does nothing.
func (r *Room) SetAppearance(uint64, *rtc.Appearance) {}

// Rename does nothing.
func (r *Room) Rename(jupyter.Path) {}

// AutosaveOff reports whether the people have autosave off.
func (r *Room) AutosaveOff() bool { return r.Unsaving.Load() }

// LostAt returns the zero time.
func (r *Room) LostAt() time.Time { return time.Time{} }

// Quiet returns zero.
func (r *Room) Quiet() time.Duration { return 0 }

// Done returns a channel that is closed when the room ends.
func (r *Room) Done() <-chan struct{} { return r.done }

// Barrier returns at once or, if the room is silent, when the context ends.
func (r *Room) Barrier(ctx context.Context) error {
	if r.Silent.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return r.Err()
}

// WaitSynced returns at once.
func (r *Room) WaitSynced(context.Context) error { return r.Err() }

// State reports whether the room has ended.
func (r *Room) State() rtc.State {
	if r.Err() != nil {
		return rtc.Closed
	}
	return rtc.Synced
}

// Err returns why the room has ended.
func (r *Room) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Save counts a save and takes SaveTakes.
func (r *Room) Save(context.Context) (string, error) {
	r.Saves.Add(1)
	time.Sleep(time.Duration(r.SaveTakes.Load()))
	return "success", nil
}

// Leave saves at once and departs.
func (r *Room) Leave(ctx context.Context) error {
	err := r.LastSave(ctx)
	r.Depart(ctx)
	return err
}

// LastSave saves at once.
func (r *Room) LastSave(context.Context) error {
	r.Saves.Add(1)
	return nil
}

// Depart takes LeaveTakes, and ends the room.
func (r *Room) Depart(ctx context.Context) {
	select {
	case <-time.After(time.Duration(r.LeaveTakes.Load())):
	case <-ctx.Done():
	}
	r.Left.Store(true)
	r.End(&rtc.CloseError{Code: rtc.CodeLeft, Action: rtc.GiveUp})
}

// End ends the room with an error.
func (r *Room) End(err error) {
	r.once.Do(func() {
		r.mu.Lock()
		r.err = err
		r.mu.Unlock()
		close(r.done)
	})
}
