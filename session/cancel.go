package session

import (
	"context"
	"fmt"
)

// Cancel takes back a run that waits, and interrupts the kernel for one that
// it runs. A run that the kernel has not come to, because it is busy for
// somebody else, is interrupted when its turn comes: the other's code is left
// alone. Cancel does not wait for the end.
func (r *Run) Cancel(ctx context.Context) error {
	r.mu.Lock()
	state, doc, taken := r.res.State, r.doc, r.taken
	r.asked = true
	r.mu.Unlock()
	switch {
	case state.Ended():
		return nil
	case state == Queued:
		if back, err := doc.takeBack(ctx, r); back {
			return err
		}
	}
	if !taken {
		return nil
	}
	return doc.interrupt(ctx)
}

func (d *Document) takeBack(ctx context.Context, r *Run) (bool, error) {
	if !d.queue.remove(r) {
		return false, nil
	}
	r.end(Cancelled, fmt.Errorf("run %s was cancelled before it started", r.ID))
	defer d.m.nudge()
	defer d.use(-1)
	return true, d.idleCells(ctx, r)
}

// take notes that the kernel has begun with the run, and reports whether it is
// to be interrupted at once.
func (r *Run) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.taken
	r.taken = true
	return first && r.asked
}

// interruptLate interrupts a run that was cancelled before the kernel came to
// it. It is called by the document's runner.
func (d *Document) interruptLate(*Run) {
	d.wg.Go(func() {
		ctx, stop := context.WithTimeout(d.ctx, writeTimeout)
		defer stop()
		if err := d.interrupt(ctx); err != nil {
			d.m.log.Warn("a cancelled run goes on", "path", d.Path(), "error", err)
		}
	})
}
