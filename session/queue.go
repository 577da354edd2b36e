package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

// runGroup is what one call asked to be run: as in JupyterLab, the first cell
// that fails takes those behind it with it.
type runGroup struct{ failed bool }

// queueMax is how many runs may wait in one notebook.
const queueMax = 1000

// runQueue holds the runs that wait, in order.
type runQueue struct {
	mu     sync.Mutex
	runs   []*Run
	closed error
	wake   chan struct{}
}

func (q *runQueue) push(runs []*Run) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed != nil {
		return q.closed
	}
	if n := len(q.runs); n+len(runs) > queueMax {
		return fmt.Errorf("%d cells wait to be run in this notebook already, and no more than %d may", n, queueMax)
	}
	q.runs = append(q.runs, runs...)
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return nil
}

func (q *runQueue) pop() *Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.runs) == 0 {
		return nil
	}
	r := q.runs[0]
	q.runs = q.runs[1:]
	return r
}

// remove takes a waiting run out of the queue.
func (q *runQueue) remove(r *Run) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, w := range q.runs {
		if w == r {
			q.runs = append(q.runs[:i:i], q.runs[i+1:]...)
			return true
		}
	}
	return false
}

// removeGroup takes a group's waiting runs out of the queue.
func (q *runQueue) removeGroup(g *runGroup) []*Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	var out, rest []*Run
	for _, w := range q.runs {
		if w.group == g {
			out = append(out, w)
		} else {
			rest = append(rest, w)
		}
	}
	q.runs = rest
	return out
}

// fail ends all that waits, and everything that comes.
func (q *runQueue) fail(err error) {
	q.mu.Lock()
	runs := q.runs
	q.runs, q.closed = nil, err
	q.mu.Unlock()
	for _, r := range runs {
		r.end(Cancelled, err)
	}
}

// Run queues the execution of code cells, in the order given, behind what is
// queued already, and returns at once with a run for each. Their outputs are
// cleared and they show as busy from now on. Nothing is queued when a cell
// does not exist or is not a code cell.
func (d *Document) Run(ctx context.Context, cellIDs []string) ([]*Run, error) {
	return d.RunWith(ctx, cellIDs, RunOptions{})
}

// RunWith is Run with options.
func (d *Document) RunWith(ctx context.Context, cellIDs []string, opt RunOptions) ([]*Run, error) {
	if len(cellIDs) == 0 {
		return nil, errors.New("run: no cells were named")
	}
	nb := d.Notebook()
	for _, id := range cellIDs {
		c, ok := nb.Cell(id)
		if !ok {
			return nil, fmt.Errorf("run: there is no cell %q in %s", id, d.Path())
		}
		if c.Type != "code" {
			return nil, fmt.Errorf("run: cell %q is a %s cell, only code cells can be run", id, c.Type)
		}
	}
	err := d.Edit(ctx, "run", func(e *ydoc.Editor) error {
		for _, id := range cellIDs {
			if err := e.StartRun(id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	g := &runGroup{}
	runs := make([]*Run, len(cellIDs))
	for i, id := range cellIDs {
		runs[i] = &Run{Path: d.Path(), CellID: id, m: d.m, doc: d, group: g, done: make(chan struct{}), ask: opt.Ask, res: Result{State: Queued}}
		d.m.runs.add(runs[i])
	}
	d.use(len(runs)) // each holds the document until it has ended
	if err := d.queue.push(runs); err != nil {
		d.use(-len(runs))
		err = errors.Join(err, d.idleCells(ctx, runs...))
		for _, r := range runs {
			r.end(Cancelled, err)
		}
		return nil, fmt.Errorf("run: %w", err)
	}
	return runs, nil
}

// runner executes the queue.
func (d *Document) runner() {
	for {
		r := d.queue.pop()
		if r == nil {
			select {
			case <-d.ctx.Done():
				return
			case <-d.queue.wake:
				continue
			}
		}
		if d.ctx.Err() != nil {
			r.end(Cancelled, errors.New("the session of its notebook was ended"))
			continue
		}
		d.execute(r)
		d.use(-1)
		d.m.nudge()
	}
}

// finishTimeout bounds what is written about a run after its document was
// told to end.
const finishTimeout = time.Second

// execute carries out one run from the kernel's first word to the last write.
func (d *Document) execute(r *Run) {
	w := newOutputWriter(d, r)
	r.begin(w)
	d.displays.leave(r.CellID)
	state, err := d.ask(r, w)
	w.finish()
	d.displays.enter(r.CellID, w.shown())
	ctx, stop := context.WithTimeout(context.WithoutCancel(d.ctx), writeTimeout)
	if d.ctx.Err() != nil {
		ctx, stop = context.WithTimeout(context.WithoutCancel(d.ctx), finishTimeout)
	}
	defer stop()
	if err2 := d.finishCell(ctx, r); err2 != nil && err == nil {
		err = err2
	}
	r.end(state, err)
	if state == Done {
		return
	}
	r.group.failed = true
	rest := d.queue.removeGroup(r.group)
	for _, w := range rest {
		w.end(Cancelled, fmt.Errorf("not run: cell %s before it %s", r.CellID, state))
		d.use(-1)
	}
	if err := d.idleCells(ctx, rest...); err != nil {
		d.m.log.Warn("cells of cancelled runs still show as busy", "path", d.Path(), "error", err)
	}
}

// finishCell writes the count and the idle state, together and last: any count
// makes open tabs show the cell as idle.
func (d *Document) finishCell(ctx context.Context, r *Run) error {
	count := r.Result().Count
	if _, ok := d.Notebook().Index(r.CellID); !ok {
		return nil // deleted while it ran; there is nothing to finish
	}
	return d.Edit(ctx, "run", func(e *ydoc.Editor) error { return e.FinishRun(r.CellID, count) })
}

// idleCells takes the busy mark from cells whose runs will not happen.
func (d *Document) idleCells(ctx context.Context, runs ...*Run) error {
	if len(runs) == 0 {
		return nil
	}
	nb := d.Notebook()
	var cells []string
	for _, r := range runs {
		if _, ok := nb.Index(r.CellID); ok {
			cells = append(cells, r.CellID)
		}
	}
	return d.Edit(ctx, "run", func(e *ydoc.Editor) error {
		for _, id := range cells {
			if err := e.FinishRun(id, nil); err != nil {
				return err
			}
		}
		return nil
	})
}
