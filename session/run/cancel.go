package run

import (
	"context"
	"fmt"
)

// Cancel takes back a run that waits, and interrupts the kernel for one that it runs. A run that the kernel has not
// come to, because it is busy for somebody else, is interrupted when its turn comes: the other's code is left alone.
// Cancel does not wait for the end.
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

// takeBack takes a run that waits out of the queue; false where it does not wait any more.
func (q *Queue) takeBack(ctx context.Context, r *Run) (bool, error) {
	if !q.remove(r) {
		return false, nil
	}
	r.end(Cancelled, r.cancelled())
	return true, q.host.drop(ctx, r)
}

// cancelled is why a run that was taken back was not run.
func (r *Run) cancelled() error { return fmt.Errorf("run %s was cancelled before it started", r.ID) }

func (r *Run) interruptAsked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// take notes that the kernel has begun with the run, and reports whether it is to be interrupted at once.
func (r *Run) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.taken
	r.taken = true
	return first && r.asked
}

// interruptLate interrupts a run that was cancelled before the kernel came to it. It is called by the goroutine that
// carries the run out, or that feeds it.
func (q *Queue) interruptLate(r *Run) {
	q.wg.Go(func() {
		ctx, stop := context.WithTimeout(q.ctx, writeTimeout)
		defer stop()
		if err := q.host.interrupt(ctx); err != nil {
			q.table.cfg.Log.Warn("a cancelled run goes on", "path", r.Path, "session", r.Session, "run", r.ID, "error", err)
		}
	})
}
