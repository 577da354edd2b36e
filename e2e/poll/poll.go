// Package poll waits for a condition by polling.
//
// The end-to-end tests assert no time: each wait has a long limit that only a fault reaches, and its error has the last
// result.
//
// Concurrency: nothing here keeps state or starts a goroutine.
package poll

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Patience is how long Until waits if the context has no earlier deadline. It is far above any wait on a slow and busy
// machine.
const Patience = 2 * time.Minute

// Interval is the pause between two polls.
const Interval = 40 * time.Millisecond

// Until calls look until it returns nil, and returns look's last error when the time is over. what names the condition
// in that error.
func Until(ctx context.Context, what string, look func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	last := errors.New("never looked")
	for ctx.Err() == nil {
		err := look(ctx)
		if err == nil {
			return nil
		}
		// A poll that the deadline cut short says nothing about the condition; the previous one does.
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
