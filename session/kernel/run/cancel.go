package run

import (
	"context"
	"fmt"
)

// Cancel removes a waiting run from the queue, and interrupts the kernel for a running one. If the kernel is still busy
// with another client's code, that code continues and the run is interrupted when its turn comes. Cancel does not wait for
// the end.
func (r *Run) Cancel(ctx context.Context) error {
	r.mu.Lock()
	state, q, taken := r.res.State, r.queue, r.taken
	r.asked = true
	r.mu.Unlock()
	switch {
	case state.Ended():
		return nil
	case state == Queued:
		if back, err := q.takeBack(ctx, r); back {
			return err
		}
	}
	if !taken {
		return nil
	}
	return q.host.interrupt(ctx)
}

// takeBack removes a waiting run from the queue; false if it no longer waits.
func (q *Queue) takeBack(ctx context.Context, r *Run) (bool, error) {
	if len(q.remove(func(w *Run) bool { return w == r })) == 0 {
		return false, nil
	}
	r.end(Cancelled, r.cancelled())
	return true, q.host.drop(ctx, r)
}

// cancelled is the error of a run that was cancelled before it started.
func (r *Run) cancelled() error { return fmt.Errorf("run %s was cancelled before it started", r.ID) }

func (r *Run) interruptAsked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// take records that the kernel has begun the run's code, and reports whether to interrupt it at once.
func (r *Run) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.taken
	r.taken = true
	return first && r.asked
}

// interruptLate interrupts a run that was cancelled before the kernel began it. The goroutine that executes the run, or
// handles its events, calls it.
func (q *Queue) interruptLate(r *Run) {
	q.wg.Go(func() {
		ctx, stop := context.WithTimeout(q.ctx, writeTimeout)
		defer stop()
		if err := q.host.interrupt(ctx); err != nil {
			q.table.cfg.Log.Warn("a cancelled run continues", "path", r.Path, "session", r.Session, "run", r.ID, "error", err)
		}
	})
}
