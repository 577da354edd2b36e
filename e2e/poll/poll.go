// Package poll waits for something to become true, by looking again and again.
//
// The end-to-end tests assert no time: what they wait for has a long limit that
// only a fault reaches, and the error then says what was seen last.
//
// Concurrency: nothing here keeps state or starts a goroutine.
package poll

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Patience is how long Until waits where the context sets no nearer end. It is
// far above what anything takes on a slow and busy machine.
const Patience = 2 * time.Minute

// Interval is the pause between two looks.
const Interval = 40 * time.Millisecond

// Until calls look until it returns nil, and returns what it returned last
// when the time is over. what names the awaited thing in that error.
func Until(ctx context.Context, what string, look func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	last := errors.New("never looked")
	for ctx.Err() == nil {
		err := look(ctx)
		if err == nil {
			return nil
		}
		// A look that the end of the time cut short says nothing about what
		// was there; the one before it does.
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
		case <-time.After(Interval):
		}
	}
	return fmt.Errorf("waited for %s: %w (last seen: %w)", what, ctx.Err(), last)
}
