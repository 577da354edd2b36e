package editguard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Quiet is for how long nobody has typed in a cell that is free.
const Quiet = 5 * time.Second

// MaxWait is how long a call may wait at most.
const MaxWait = 600 * time.Second

// Manners are what a call does where somebody is typing. The zero value has it refused at once.
type Manners struct {
	// Wait is how long it waits in all until they pause.
	Wait time.Duration
	// Force has it write all the same.
	Force bool
	// Forceable reports whether the called tool lists force, so that a refusal may name it.
	Forceable bool
	// Tell, if not nil, hears about once a second what is waited for, in the context of what waits.
	Tell func(ctx context.Context, message string)
}

// manners are those of a call that goes on.
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

// spend takes what a wait has taken, and returns what is left.
func (m *manners) spend(took time.Duration) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left -= took
	return m.left
}

// Waited returns how long a call has waited until people paused.
func Waited(ctx context.Context) time.Duration {
	m := of(ctx)
	return m.Wait - m.spend(0)
}

// Patiently makes attempts at an edit until one is not refused because somebody is typing, as long as the manners of the
// call have it wait. An attempt right after the room was joined is repeated once keys would have been seen.
func Patiently(ctx context.Context, attempt func() error) error {
	m := of(ctx)
	for {
		err := attempt()
		var early *earlyError
		if errors.As(err, &early) {
			if err := pause(ctx, early.left); err != nil {
				return fmt.Errorf("nothing was %s: the call ended while it looked whether somebody is typing: %w", verb(early.edit), err)
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

// rest waits until the cell will have been quiet for long enough, should nobody type any more, and no longer than it may.
func (m *manners) rest(ctx context.Context, busy *BusyError, left time.Duration) error {
	if m.Tell != nil {
		m.Tell(ctx, busy.does())
	}
	// Each second it is heard of, and looked whether they have left.
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
