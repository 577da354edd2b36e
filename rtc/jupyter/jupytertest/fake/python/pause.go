package python

import (
	"context"
	"time"

	"go.starlark.net/starlark"
)

// sleep waits, unless an interrupt or the process's end comes first.
func (in *Interp) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-in.ctx.Done():
		return in.ctx.Err()
	case <-in.interrupts:
		return in.raiseInterrupt()
	}
}

// raiseInterrupt makes the exception of an interrupt, which is over with it.
func (in *Interp) raiseInterrupt(args ...string) error {
	in.calm()
	var list []starlark.Value
	for _, a := range args {
		list = append(list, starlark.String(a))
	}
	return in.raise("KeyboardInterrupt", list...)
}

// interruptible is a context that an interrupt ends; done lets go of it and tells whether one has.
func (in *Interp) interruptible() (ctx context.Context, done func() (interrupted bool)) {
	ctx, cancel := context.WithCancel(in.ctx)
	result := make(chan bool)
	go func() {
		select {
		case <-in.interrupts:
			cancel()
			result <- true
		case <-ctx.Done():
			result <- false
		}
	}()
	return ctx, func() bool {
		cancel()
		return <-result
	}
}
