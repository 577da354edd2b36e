package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Cells is the queue of one notebook's cells.
type Cells struct {
	*Queue
	nb    Notebook
	ready chan struct{} // closed when the runs left by earlier sessions are known
	// displays are the updatable displays of ended runs.
	displays *output.Displays
	marks    marks
	after    lateRuns
}

// NewCells returns the queue of a notebook. It works until the context ends; over is the error of runs after that.
func NewCells(ctx context.Context, nb Notebook, t *Table, over error) *Cells {
	c := &Cells{nb: nb, displays: output.NewDisplays(), ready: make(chan struct{})}
	c.Queue = newQueue(ctx, c, t, over)
	return c
}

// Run appends code cells to the queue, in the order given, and returns at once with a run for each. It shows them as
// busy; a cell keeps its outputs and its count until a kernel has begun its run. If a cell does not exist or is not a
// code cell, nothing is queued.
func (c *Cells) Run(ctx context.Context, cellIDs []string, opt Options) ([]*Run, error) {
	if len(cellIDs) == 0 {
		return nil, errors.New("run: no cells were named")
	}
	nb := c.nb.Notebook()
	for _, id := range cellIDs {
		cell, ok := nb.Cell(id)
		if !ok {
			return nil, fmt.Errorf("run: there is no cell %q in %s", id, c.nb.Path())
		}
		if cell.Type != "code" {
			return nil, fmt.Errorf("run: cell %q is a %s cell, only code cells can be run", id, cell.Type)
		}
	}
	return c.begin(ctx, "run", opt, func(e *ydoc.Editor) ([]string, error) { return cellIDs, queueRuns(e, cellIDs) })
}

// RunNew appends a code cell to the notebook and queues its run, in one edit: the cell is never seen idle, and the room
// confirms both at once.
func (c *Cells) RunNew(ctx context.Context, source string, opt Options) (*Run, error) {
	runs, err := c.begin(ctx, "insert cell", opt, func(e *ydoc.Editor) ([]string, error) {
		ids, err := e.Insert(e.Len(), ydoc.NewCell{Type: ydoc.Code, Source: source})
		if err != nil {
			return nil, err
		}
		return ids, queueRuns(e, ids)
	})
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}

func queueRuns(e *ydoc.Editor, cellIDs []string) error {
	for _, id := range cellIDs {
		if err := e.QueueRun(id); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the edit that marks cells as busy, and queues a run for each cell that stage returns.
func (c *Cells) begin(ctx context.Context, name string, opt Options, stage func(*ydoc.Editor) ([]string, error)) ([]*Run, error) {
	var cellIDs []string
	err := c.nb.Edit(ctx, name, func(e *ydoc.Editor) (err error) {
		cellIDs, err = stage(e)
		return err
	})
	var unsure Unconfirmed
	if errors.As(err, &unsure) {
		c.unmark(cellIDs)
	}
	if err != nil {
		return nil, err
	}
	group := c.table.groups.Add(1)
	runs := make([]*Run, len(cellIDs))
	for i, id := range cellIDs {
		runs[i] = &Run{Path: c.nb.Path(), CellID: id, queue: c.Queue, group: group}
		c.table.add(runs[i], opt)
	}
	c.keep(runs...)
	c.marks.mark(c.nb.Notebook().ClientID(), runs...)
	c.nb.Hold(len(runs)) // each holds the document until it has ended
	if err := c.push(runs...); err != nil {
		err = errors.Join(err, c.drop(ctx, runs...))
		for _, r := range runs {
			r.end(Cancelled, err)
		}
		return nil, fmt.Errorf("run: %w", err)
	}
	return runs, nil
}

// execute executes one run, from its begin to the last write.
func (c *Cells) execute(r *Run) {
	defer c.nb.Hold(-1)
	if r.resume != nil {
		c.goOn(r)
		return
	}
	c.after.end(r.CellID)
	w := c.newWriter(r, nil)
	r.begin(w)
	state, err := c.ask(r, w)
	c.finish(r, w, state, err)
}

// finish writes the rest of a run's output, and ends it.
func (c *Cells) finish(r *Run, w *output.Writer, state State, err error) {
	into := c.nb.Notebook()
	if unconfirmed(err) {
		w.Hurry(finishTimeout) // the writes reach the room when that is back
	}
	w.Finish()
	if w.Begun() {
		c.displays.Enter(r.CellID, w.Places())
	}
	ctx, stop := c.late(err)
	defer stop()
	ctx = origin.With(ctx, origin.Author{Client: r.Owner})
	if !w.Marked() {
		if err2 := c.finishCell(ctx, r, w.Begun()); err2 != nil && err == nil {
			err = err2
		}
	}
	if r.late = r.resume == nil && w.Begun() && c.nb.Way().By == Kernel && c.ctx.Err() == nil && (state == Done || state == Failed || state == Interrupted); r.late {
		c.after.add(r, w)
	} else {
		w.Close()
	}
	c.end(ctx, r, state, err)
	c.ended(into, r)
}

// newWriter returns the writer of a run's output into its cell.
func (c *Cells) newWriter(r *Run, before []ydoc.Output) *output.Writer {
	return output.NewWriter(origin.With(c.ctx, origin.Author{Client: r.Owner}), output.Target{
		Notebook: c.nb, Cell: r.CellID, Run: r.ID, Displays: c.displays, Stores: c.table.stores(), Log: c.table.cfg.Log,
		Before: before,
	})
}

// ask runs the cell's current source in the notebook's [Way].
func (c *Cells) ask(r *Run, w *output.Writer) (State, error) {
	cell, ok := c.nb.Notebook().Cell(r.CellID)
	if !ok {
		return Cancelled, errors.New("the cell was deleted before its turn came")
	}
	if strings.TrimSpace(cell.Source) == "" {
		w.Begin()
		return Done, nil // JupyterLab does not send it either, and clears the cell
	}
	way := c.nb.Way()
	if way.Refusal != nil {
		return Cancelled, way.Refusal
	}
	if way.By == Documents {
		if at := ydoc.Named(c.nb.Notebook().Cells(), cell.NBID); len(at) > 1 {
			return Cancelled, fmt.Errorf("not run: the Jupyter server runs a cell by its id, and %d cells have the id %q: insert a copy and delete this one", len(at), cell.NBID)
		}
		defer c.nb.Served(r.CellID, r.Owner)()
		return byDocuments{c}.run(r, w)
	}
	return byKernel{c}.run(r, cell.Source, w)
}

// Stop cancels all runs of the notebook, and of code without a cell in its kernel. why is their note.
func (c *Cells) Stop(ctx context.Context, why string) error {
	c.Ready(ctx)
	kernel, _, err := c.nb.KernelState(ctx)
	runs := slices.DeleteFunc(c.table.Runs(jupyter.Path{}), func(r *Run) bool { return !c.stops(r, kernel) })
	lo.ForEach(runs, func(r *Run, _ int) { r.add(why) })
	for _, r := range slices.Backward(runs) { // the running one before those whose cancellation the room confirms
		err = errors.Join(err, r.Cancel(ctx))
	}
	return err
}

// stops reports whether a run has not ended, and is one of the notebook, or one without a cell in the kernel.
func (c *Cells) stops(r *Run, kernel string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue == c.Queue || r.queue != nil && r.kernel != "" && r.kernel == kernel
}

func (c *Cells) interrupt(ctx context.Context) error { return c.nb.Interrupt(ctx) }

// drop clears the busy mark of the cells of dropped runs, and releases the document.
func (c *Cells) drop(ctx context.Context, runs ...*Run) error {
	defer c.nb.Hold(-len(runs))
	into := c.nb.Notebook()
	err := c.idleCells(ctx, runs...)
	c.ended(into, runs...)
	return err
}

// rest does nothing: the connection to the kernel closes with the document.
func (c *Cells) rest() {}

// finishCell writes the count and the idle state, together and last: any count makes open tabs show the cell as idle.
func (c *Cells) finishCell(ctx context.Context, r *Run, begun bool) error {
	count := r.Result().Count
	cell, ok := c.nb.Notebook().Cell(r.CellID)
	switch {
	case !ok:
		return nil // deleted while it ran
	case !begun:
		return c.idleCells(ctx, r)
	case c.nb.Way().By == Documents && cell.ExecutionState != ydoc.Running:
		return nil // the server has finished it
	}
	return c.nb.Edit(ctx, "run", func(e *ydoc.Editor) error { return e.FinishRun(r.CellID, count) })
}

// Idle clears the busy mark of those cells that still exist. Each keeps its count: a cell whose run has begun has none.
func Idle(e *ydoc.Editor, cellIDs []string) error {
	for _, id := range cellIDs {
		cell, ok := e.Cell(id)
		if !ok {
			continue
		}
		if err := e.FinishRun(id, cell.ExecutionCount); err != nil {
			return err
		}
	}
	return nil
}

// unmark clears the busy mark of cells that are not run because the room did not confirm the mark; both edits reach the
// room when it is back.
func (c *Cells) unmark(cellIDs []string) {
	if err := c.nb.Notebook().Edit("run", func(e *ydoc.Editor) error { return Idle(e, cellIDs) }); err != nil {
		c.table.cfg.Log.Warn("cells that are not run still show as busy", "path", c.nb.Path(), "error", err)
	}
}

// CellIDs returns the ids of the cells of runs, in order.
func CellIDs(runs []*Run) []string {
	return lo.Map(runs, func(r *Run, _ int) string { return r.CellID })
}

// idleCells clears the busy mark of the cells of dropped runs; runs is not empty.
func (c *Cells) idleCells(ctx context.Context, runs ...*Run) error {
	cells := CellIDs(runs)
	return c.nb.Edit(ctx, "run", func(e *ydoc.Editor) error { return Idle(e, cells) })
}
