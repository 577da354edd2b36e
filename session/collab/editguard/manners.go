package editguard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Quiet is how long a cell must be without typing to be free.
const Quiet = 5 * time.Second

// MaxWait is the maximum time that a call may wait.
const MaxWait = 600 * time.Second

// Manners is how a call reacts to a person who is typing. The zero value refuses the edit at once.
type Manners struct {
	// Wait is how long it waits in total until they pause.
	Wait time.Duration
	// Force makes it write regardless.
	Force bool
	// Forceable reports whether the called tool lists force, so that a refusal may name it.
	Forceable bool
	// Restores makes it write in a suspect notebook, see [Suspect].
	Restores bool
	// Tell, if not nil, receives about once a second the reason for waiting, with the context of the waiting call.
	Tell func(ctx context.Context, message string)
}

// manners are those of a running call.
type manners struct {
	Manners
	mu   sync.Mutex
	left time.Duration // of Wait
}

type key struct{}

// With returns the context of a call with its manners.
func With(ctx context.Context, m Manners) context.Context {
	return context.WithValue(ctx, key{}, &manners{Manners: m, left: m.Wait})
}

func of(ctx context.Context) *manners {
	if m, _ := ctx.Value(key{}).(*manners); m != nil {
		return m
	}
	return &manners{}
}

// spend subtracts the duration of a wait, and returns the remaining time.
func (m *manners) spend(took time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left -= took
	return m.left
}

// Waited returns how long a call has waited for people to pause.
func Waited(ctx context.Context) time.Duration {
	m := of(ctx)
	return m.Wait - m.spend(0)
}

// Retry repeats an edit that is refused because a person is typing, as long as the call's manners allow. An attempt
// right after the room was joined is repeated once typing would have been noticed.
func Retry(ctx context.Context, attempt func() error) error {
	m := of(ctx)
	for {
		err := attempt()
		var early *earlyError
		if errors.As(err, &early) {
			if err := pause(ctx, early.left); err != nil {
				return fmt.Errorf("nothing was %s: the call ended while it checked for a typing person: %w", verb(early.edit), err)
			}
			m.spend(early.left)
			continue
		}
		var busy *BusyError
		if m.Wait <= 0 || !errors.As(err, &busy) {
			return err
		}
		began := time.Now()
		left := m.spend(0)
		if left <= 0 {
			busy.Waited = m.Wait
			return err
		}
		err = m.rest(ctx, busy, left)
		m.spend(time.Since(began))
		if err != nil {
			return err
		}
	}
}

// rest waits until the cell will have been quiet for long enough if they stop typing now, but no longer than left.
func (m *manners) rest(ctx context.Context, busy *BusyError, left time.Duration) error {
	if m.Tell != nil {
		m.Tell(ctx, busy.does())
	}
	// Once a second, Tell is called, and the cell is checked in case they have left.
	if err := pause(ctx, min(left, time.Second, max(time.Until(busy.Last.Add(Quiet)), time.Millisecond))); err != nil {
		return fmt.Errorf("nothing was %s: the call ended while it waited until %s pauses: %w", verb(busy.Edit), busy.Who, err)
	}
	return nil
}

// pause waits, and returns an error if the call ends first.
func pause(ctx context.Context, d time.Duration) error {
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
