package tool

import (
	"context"
	"slices"
	"sync"
)

// Turns orders the calls of one client that are served at once. Calls that insert cells take effect in their order of
// arrival; a client that sends several before an answer relies on that.
type Turns struct {
	mu   sync.Mutex
	open []*Turn // in the order of arrival
}

// A Turn is the place of a call in the order. The zero value is for a single call.
type Turn struct {
	of       *Turns
	earlier  []*Turn // turns that were open when it arrived
	passed   chan struct{}
	pass     sync.Once
	inserted insertion
}

// An insertion records where a call has inserted cells.
type insertion struct{ file, behind, last string }

// Arrive returns a turn for a call. End must be called after it.
func (t *Turns) Arrive() *Turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := &Turn{of: t, earlier: slices.Clone(t.open), passed: make(chan struct{})}
	t.open = append(t.open, turn)
	return turn
}

// End ends the turn of an answered call.
func (t *Turn) End() {
	t.Pass()
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.open = slices.DeleteFunc(t.of.open, func(o *Turn) bool { return o == t })
	t.earlier = nil
}

// Pass lets the next calls continue.
func (t *Turn) Pass() {
	if t.passed != nil {
		t.pass.Do(func() { close(t.passed) })
	}
}

// Wait waits for the earlier calls that were open when this one arrived.
func (t *Turn) Wait(ctx context.Context) error {
	for _, e := range t.earlier {
		select {
		case <-e.passed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Behind returns the last cell that an earlier call, open when this one arrived, has inserted right after a cell, or "".
func (t *Turn) Behind(file, cell string) string {
	for _, e := range slices.Backward(t.earlier) {
		select {
		case <-e.passed:
			if e.inserted.last != "" && e.inserted.file == file && e.inserted.behind == cell {
				return e.inserted.last
			}
		default:
		}
	}
	return ""
}

// Inserted records where the call has inserted cells, and lets the next calls continue.
func (t *Turn) Inserted(file, behind, last string) {
	t.inserted = insertion{file, behind, last}
	t.Pass()
}

type turnKey struct{}

// WithTurn returns a context with the turn of a call.
func WithTurn(ctx context.Context, t *Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// HasTurn reports whether a context has the turn of a call.
func HasTurn(ctx context.Context) bool { return ctx.Value(turnKey{}) != nil }

// TurnOf returns the turn in a context, or a zero Turn.
func TurnOf(ctx context.Context) *Turn {
	if t, ok := ctx.Value(turnKey{}).(*Turn); ok {
		return t
	}
	return &Turn{}
}
