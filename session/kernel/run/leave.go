package run

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// The end of a session, or of the program, does not cancel runs: the code continues in the kernel. The cell says so, and
// the ledger has the data to take the run up.

// The notes in the cells of runs that are left. Taking a run up removes its note, so change them with care: the process
// that reads a note may be newer than the one that wrote it.
const (
	noteLeft        = "[nbduet left this notebook while this cell ran. The code keeps running in the kernel; its further output is shown only if nbduet comes back.]\n"
	noteLeftWaiting = "[nbduet left this notebook while this cell waited in the kernel, which runs it in its turn; its output is shown only if nbduet comes back.]\n"
	noteNotRun      = "[not run: nbduet left this notebook before the cell's turn came]\n"
)

// idleWith clears the busy mark of the given cells that still exist, and adds the note to those for which noted returns
// true.
func idleWith(e *ydoc.Editor, cells []string, note string, noted func(ydoc.Cell) bool) error {
	for _, id := range cells {
		if cell, ok := e.Cell(id); !ok || !noted(cell) {
			continue
		}
		if err := e.AppendStream(id, "stderr", note); err != nil {
			return err
		}
	}
	return Idle(e, cells)
}

// vacant reports whether the cell shows no earlier run, so that it can take a note that it was not run.
func vacant(cell ydoc.Cell) bool { return len(cell.Outputs) == 0 && cell.ExecutionCount == nil }

// noteNotRun adds a note to the cell of a run whose turn never came.
func (c *Cells) noteNotRun(r *Run, w *output.Writer, note string) {
	if cell, ok := c.nb.Notebook().Cell(r.CellID); ok && vacant(cell) {
		w.Note(note)
	}
}

// keep records new runs in the ledger, unless the server runs the cells: then it ends them itself.
func (c *Cells) keep(runs ...*Run) {
	if c.nb.Way().By != Kernel {
		return
	}
	records := make([]Record, len(runs))
	for i, r := range runs {
		r.record = &Record{
			Run: r.ID, Number: r.number, File: c.nb.FileID(), Path: r.Path, Cell: r.CellID, Owner: r.Owner,
			Client: c.nb.Notebook().ClientID(),
		}
		records[i] = *r.record
	}
	c.table.ledger("keep", func(ctx context.Context, l Ledger) error { return l.Keep(ctx, records...) })
}

// Close waits for the current run, which ends with the queue's context, and cancels all waiting and later runs. Their cells
// say so, except those with an earlier run.
func (c *Cells) Close() {
	var runs []*Run
	waiting := c.shut()
	c.after.close()
	for _, r := range waiting {
		if r.resume != nil && r.resume.Sent() {
			r.end(Lost, ErrLeft) // its cell has the note
			continue
		}
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return
	}
	ctx, stop := c.late(nil)
	defer stop()
	cells := CellIDs(runs)
	if err := c.nb.Edit(ctx, "run", func(e *ydoc.Editor) error { return idleWith(e, cells, noteNotRun, vacant) }); err != nil {
		c.table.cfg.Log.Warn("cells that were not run may still show as busy", "path", c.nb.Path(), "error", err)
	}
	for _, r := range runs {
		r.end(Cancelled, fmt.Errorf("not run: %w", c.over))
	}
	c.nb.Hold(-len(runs))
}
