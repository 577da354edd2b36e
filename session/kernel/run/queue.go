package run

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/samber/lo"
)

// queueMax is how many runs may wait in one queue.
const queueMax = 1000

// finishTimeout bounds the writes of a run after its queue's context has ended.
const finishTimeout = time.Second

// writeTimeout bounds one write, including lost connections.
const writeTimeout = 30 * time.Second

// host executes the runs of a queue: [Cells] or [Alone].
type host interface {
	// execute executes one run, from its beginning to [Queue.end].
	execute(r *Run)
	// interrupt interrupts the kernel.
	interrupt(ctx context.Context) error
	// drop clears the marks of waiting runs that will not happen.
	drop(ctx context.Context, runs ...*Run) error
	// rest is called after an idle period.
	rest()
}

// Queue holds the waiting runs, in order, and executes them one after the other. Create it with [NewCells] or [NewAlone];
// Start starts it, and Close ends it.
type Queue struct {
	ctx   context.Context // ends before Close is called
	over  error           // the error of runs after that
	host  host
	table *Table
	idle  time.Duration // after which host.rest is called; 0 for never
	wg    sync.WaitGroup
	wake  chan struct{}

	mu      sync.Mutex
	runs    []*Run
	current *Run          // nil if none
	turn    chan struct{} // closed when the current run changes
	holds   int           // number of callers of Hold
	closed  error
}

func newQueue(ctx context.Context, h host, t *Table, over error) *Queue {
	return &Queue{ctx: ctx, host: h, table: t, over: over, wake: make(chan struct{}, 1), turn: make(chan struct{})}
}

// Start starts the queue.
func (q *Queue) Start() { q.wg.Go(q.work) }

// Close waits for the current run, which ends with the queue's context, and cancels all waiting and later runs.
func (q *Queue) Close() {
	for _, r := range q.shut() {
		r.end(Cancelled, q.over)
	}
}

// shut waits until the current run has ended, refuses later ones, and returns the waiting runs.
func (q *Queue) shut() []*Run {
	q.wg.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	runs := q.runs
	q.runs, q.closed = nil, q.over
	return runs
}

// work executes the runs.
func (q *Queue) work() {
	for {
		if r := q.pop(); r != nil {
			q.execute(r)
			continue
		}
		if !q.wait() {
			return
		}
	}
}

// execute executes one run, between Changing and its result.
func (q *Queue) execute(r *Run) {
	if q.table.cfg.Changing != nil {
		defer q.table.cfg.Changing()()
	}
	q.host.execute(r)
}

// wait returns when there may be work; false if the queue must end.
func (q *Queue) wait() bool {
	var late <-chan time.Time
	if q.idle > 0 {
		timer := time.NewTimer(q.idle)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-q.ctx.Done():
		return false
	case <-q.wake:
	case <-late:
		q.host.rest()
	}
	return true
}

// end ends a run, and cancels the runs that depend on it. They are removed before the end becomes visible: later runs do
// not depend on it.
func (q *Queue) end(ctx context.Context, r *Run, state State, err error) {
	var waiting []*Run
	var why error
	switch {
	case state == Done:
	case q.ctx.Err() != nil: // Close cancels the waiting runs
	case kernelGone(err), serverGone(err):
		// As in JupyterLab: waiting runs were meant for the lost kernel.
		waiting, why = q.drain(), fmt.Errorf("not run: %s while %s", goneWhy(err), r.during())
	default:
		waiting = q.remove(func(w *Run) bool { return w.group == r.group })
		why = fmt.Errorf("not run: cell %s before it %s", r.CellID, endings[state])
	}
	r.end(state, err)
	q.giveUp(ctx, waiting, why)
}

// giveUp cancels runs that were removed from the queue.
func (q *Queue) giveUp(ctx context.Context, runs []*Run, why error) {
	if len(runs) == 0 {
		return
	}
	for _, r := range runs {
		r.end(Cancelled, why)
	}
	if err := q.host.drop(ctx, runs...); err != nil {
		q.table.cfg.Log.Warn("cells of cancelled runs still show as busy", "path", runs[0].Path, "error", err)
	}
}

// GiveUp cancels all waiting runs.
func (q *Queue) GiveUp(ctx context.Context, why error) { q.giveUp(ctx, q.drain(), why) }

// late returns a context for the last writes of a run. The end of the queue does not cancel it, but shortens its timeout,
// as does an error after which no confirmation can come.
func (q *Queue) late(err error) (context.Context, context.CancelFunc) {
	timeout := lo.Ternary(q.ctx.Err() != nil || unconfirmed(err), finishTimeout, writeTimeout)
	return context.WithTimeout(context.WithoutCancel(q.ctx), timeout)
}

func (q *Queue) push(runs ...*Run) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed != nil {
		return q.closed
	}
	if n := len(q.runs); n+len(runs) > queueMax {
		return fmt.Errorf("%d cells already wait to run in this notebook, and at most %d may: wait for some to end", n, queueMax)
	}
	q.runs = append(q.runs, runs...)
	q.nudge()
	return nil
}

// pushFirst puts runs before all waiting ones: the kernel has them already.
func (q *Queue) pushFirst(runs ...*Run) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.runs = slices.Concat(runs, q.runs)
	q.nudge()
}

func (q *Queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// pop removes the next run from the queue; it is the current run until the next pop, when it has completely ended.
func (q *Queue) pop() *Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.runs) == 0 || q.holds > 0 || q.ctx.Err() != nil {
		q.turnTo(nil)
		return nil
	}
	r := q.runs[0]
	q.runs = q.runs[1:]
	q.turnTo(r)
	return r
}

// Hold prevents further runs from beginning until Release is called. It returns a channel that is closed when the current
// run has completely ended, or nil.
func (q *Queue) Hold() (through <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds++
	if q.current == nil {
		return nil
	}
	return q.turn
}

// Release ends one Hold.
func (q *Queue) Release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds--
	q.nudge()
}

// remove removes the waiting runs that match from the queue, and returns them.
func (q *Queue) remove(match func(*Run) bool) (removed []*Run) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var rest []*Run
	for _, r := range q.runs {
		if match(r) {
			removed = append(removed, r)
		} else {
			rest = append(rest, r)
		}
	}
	q.runs = rest
	return removed
}

// drain removes all waiting runs from the queue.
func (q *Queue) drain() []*Run { return q.remove(func(*Run) bool { return true }) }

// By is one of the ways to run a cell.
type By int

// The ways to run a cell.
const (
	Kernel    By = iota // over our connection to the kernel
	Documents           // by jupyter-server-documents
)

// Way is how the cells of a notebook run, or why they cannot.
type Way struct {
	By      By
	Refusal error // why they cannot run that way, or nil
}
