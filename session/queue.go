package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/output"
	"github.com/nbduet/nbduet/ydoc"
)

// runGroup is what one call asked to be run: as in JupyterLab, the first cell
// that fails takes those behind it with it.
type runGroup struct{ failed bool }

// queueMax is how many runs may wait in one notebook.
const queueMax = 1000

// runQueue holds the runs that wait, in order, and knows the one that goes on.
type runQueue struct {
	mu      sync.Mutex
	runs    []*Run
	through chan struct{} // closed when all is done about the run that goes on; nil while there is none
	holds   int           // how many want that none begins
	closed  error
	wake    chan struct{}
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
	q.nudge()
	return nil
}

func (q *runQueue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// pop takes the next run out of the queue, which counts as the one that goes
// on until the next pop.
func (q *runQueue) pop() *Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.through != nil {
		close(q.through)
		q.through = nil
	}
	if len(q.runs) == 0 || q.holds > 0 {
		return nil
	}
	r := q.runs[0]
	q.runs, q.through = q.runs[1:], make(chan struct{})
	return r
}

// hold keeps further runs from beginning until release is called. It returns
// what is closed when nothing is left to do about the one that goes on, nil
// where none does.
func (q *runQueue) hold() (through <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds++
	return q.through
}

func (q *runQueue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds--
	q.nudge()
}

// drain takes all waiting runs out of the queue.
func (q *runQueue) drain() []*Run {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.runs
	q.runs = nil
	return out
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
	return d.begin(ctx, "run", opt, func(e *ydoc.Editor) ([]string, error) { return cellIDs, startRuns(e, cellIDs) })
}

// RunNew adds a code cell at the notebook's end and queues its run, in one edit: nobody sees the cell before it is busy,
// and the room confirms both at once.
func (d *Document) RunNew(ctx context.Context, source string, opt RunOptions) (*Run, error) {
	runs, err := d.begin(ctx, "insert cell", opt, func(e *ydoc.Editor) ([]string, error) {
		ids, err := e.Insert(e.Len(), ydoc.NewCell{Type: ydoc.Code, Source: source})
		if err != nil {
			return nil, err
		}
		return ids, startRuns(e, ids)
	})
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

func startRuns(e *ydoc.Editor, cellIDs []string) error {
	for _, id := range cellIDs {
		if err := e.StartRun(id); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the edit that marks cells as busy, and queues a run for each of those that stage names.
func (d *Document) begin(ctx context.Context, name string, opt RunOptions, stage func(*ydoc.Editor) ([]string, error)) ([]*Run, error) {
	var cellIDs []string
	err := d.Edit(ctx, name, func(e *ydoc.Editor) (err error) {
		cellIDs, err = stage(e)
		return err
	})
	var unsure *UnconfirmedError
	if errors.As(err, &unsure) {
		d.unmark(cellIDs)
	}
	if err != nil {
		return nil, err
	}
	g := &runGroup{}
	runs := make([]*Run, len(cellIDs))
	for i, id := range cellIDs {
		runs[i] = &Run{Path: d.Path(), CellID: id, m: d.m, doc: d, group: g, done: make(chan struct{}), ask: opt.Ask, Session: opt.Session, Owner: opt.Owner, res: Result{State: Queued}}
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

// writeTimeout bounds one write, lost connections included.
const writeTimeout = 30 * time.Second

// execute carries out one run from the kernel's first word to the last write.
func (d *Document) execute(r *Run) {
	w := d.newWriter(r)
	r.begin(w)
	d.displays.Leave(r.CellID)
	state, err := d.ask(r, w)
	w.Finish()
	d.displays.Enter(r.CellID, w.Places())
	ctx, stop := context.WithTimeout(context.WithoutCancel(d.ctx), writeTimeout)
	if d.ctx.Err() != nil {
		ctx, stop = context.WithTimeout(context.WithoutCancel(d.ctx), finishTimeout)
	}
	defer stop()
	if !w.Told() {
		if err2 := d.finishCell(ctx, r); err2 != nil && err == nil {
			err = err2
		}
	}
	r.end(state, err)
	switch {
	case state == Done:
	case kernelGone(err):
		// As in JupyterLab: whatever waits was meant for the kernel that is gone.
		d.giveUp(ctx, d.queue.drain(), fmt.Errorf("not run: %s while cell %s ran", goneWhy(err), r.CellID))
	default:
		r.group.failed = true
		d.giveUp(ctx, d.queue.removeGroup(r.group), fmt.Errorf("not run: cell %s before it %s", r.CellID, endedHow(state)))
	}
}

// newWriter makes what writes the output of a run into its cell.
func (d *Document) newWriter(r *Run) *output.Writer {
	return output.NewWriter(d.ctx, output.Target{
		Notebook: d, Cell: r.CellID, Run: r.ID, Displays: &d.displays, Spools: &d.m.spools, Log: d.m.log,
	})
}

// endedHow is a final state in a sentence about a cell.
func endedHow(s RunState) string {
	switch s {
	case Failed:
		return "failed"
	case Interrupted:
		return "was interrupted"
	case Cancelled:
		return "was cancelled"
	case Lost:
		return "was lost"
	}
	return string(s)
}

// giveUp ends runs that were taken out of the queue.
func (d *Document) giveUp(ctx context.Context, runs []*Run, why error) {
	for _, r := range runs {
		r.end(Cancelled, why)
		d.use(-1)
	}
	if err := d.idleCells(ctx, runs...); err != nil {
		d.m.log.Warn("cells of cancelled runs still show as busy", "path", d.Path(), "error", err)
	}
}

// finishCell writes the count and the idle state, together and last: any count
// makes open tabs show the cell as idle.
func (d *Document) finishCell(ctx context.Context, r *Run) error {
	count := r.Result().Count
	c, ok := d.Notebook().Cell(r.CellID)
	switch {
	case !ok:
		return nil // deleted while it ran; there is nothing to finish
	case d.current().documents && c.ExecutionState != ydoc.Running:
		return nil // the server has finished it
	}
	return d.Edit(ctx, "run", func(e *ydoc.Editor) error { return e.FinishRun(r.CellID, count) })
}

// idle takes the busy mark from cells.
func idle(e *ydoc.Editor, cellIDs []string) error {
	for _, id := range cellIDs {
		if err := e.FinishRun(id, nil); err != nil {
			return err
		}
	}
	return nil
}

// unmark takes the busy mark from cells again that are not run because nobody knows whether the room has the mark; both
// go to it when they can.
func (d *Document) unmark(cellIDs []string) {
	err := d.current().nb.Edit("run", func(e *ydoc.Editor) error { return idle(e, cellIDs) })
	if err != nil {
		d.m.log.Warn("cells that are not run still show as busy", "path", d.Path(), "error", err)
	}
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
	return d.Edit(ctx, "run", func(e *ydoc.Editor) error { return idle(e, cells) })
}
