package run

import "slices"

// Ahead returns the run that executes while this one waits in the same queue; nil if this one does not wait or the queue is
// idle. The channel is closed when the queue turns to another run.
func (r *Run) Ahead() (ahead *Run, changed <-chan struct{}) {
	r.mu.Lock()
	q := r.queue
	r.mu.Unlock()
	if q == nil {
		return nil, nil // it has ended
	}
	if ahead, changed = q.ahead(r); ahead != nil && ahead.Status().State.Ended() {
		ahead = nil // the queue turns a moment after the end is reported
	}
	return ahead, changed
}

// ahead is [Run.Ahead] for a run of the queue.
func (q *Queue) ahead(r *Run) (*Run, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.current == nil || !slices.Contains(q.runs, r) {
		return nil, q.turn
	}
	return q.current, q.turn
}

// turnTo makes r the current run; nil means that the queue is idle. q.mu is held.
func (q *Queue) turnTo(r *Run) {
	if q.current == r {
		return
	}
	q.current = r
	close(q.turn)
	q.turn = make(chan struct{})
}
