package output

import (
	"context"
	"errors"
	"time"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
)

// The code of a cell can go on after its run has ended, in threads and in tasks. The kernel sends what these put out as
// output of the cell's request, and a tab adds it to the cell if the tab has run it. So a Writer goes on after its run,
// within the same bounds and in the same batches.

// errOver says that a cell is not the run's any more.
var errOver = words.Fixed("the cell was run again, cleared or deleted")

// Late adds what comes after the end of the run to its cell, until Close, or until the cell is run again by anyone, its
// outputs are cleared, or it is deleted. Call it after Finish, when the cell shows the end of the run: a cell that is
// running, or has another count, is not this run's any more.
func (w *Writer) Late() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = true
	w.writeLate()
}

// Over reports whether no more output is taken, and Bytes the size of what was taken.
func (w *Writer) Over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// Bytes is the size of the run's output.
func (w *Writer) Bytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outs.size + w.outs.figureSize
}

// writeLate starts a goroutine that writes late output, if there is any. w.mu is held.
func (w *Writer) writeLate() {
	if !w.late || w.closed || w.writing {
		return
	}
	if w.outs.said == 0 {
		w.outs.sayOmitted() // once: each further note would make the cell grow
	}
	if !w.outs.pending() && len(w.outs.updates) == 0 {
		w.outs.waiting = 0 // all of it was left out
		return
	}
	w.writing = true
	w.lately.Go(w.writeAllLate)
}

// writeAllLate writes late output until none waits.
func (w *Writer) writeAllLate() {
	for pause := writeEvery; ; {
		select {
		case <-w.to.Notebook.Calm():
		case <-w.ctx.Done():
		}
		w.mu.Lock()
		if w.closed || w.ctx.Err() != nil || !w.outs.pending() && len(w.outs.updates) == 0 {
			w.writing, w.outs.waiting = false, 0
			w.closed = w.closed || w.ctx.Err() != nil
			w.space.Broadcast()
			w.mu.Unlock()
			return
		}
		if w.to.Notebook.Notebook() != w.into {
			w.outs.rewriteAll() // the room was joined again, and may lack what it had confirmed
		}
		pending, part, updates := w.outs.pending(), w.part(false), w.outs.takeUpdates()
		w.space.Broadcast()
		w.mu.Unlock()
		err := error(nil)
		if pending {
			err = w.add(part)
		}
		switch {
		case errors.Is(err, errOver):
			w.close()
			continue
		case err != nil:
			w.to.Log.Warn("late output could not be written to the notebook", "path", w.to.Notebook.Path(), "run", w.to.Run, "error", err)
			w.mu.Lock()
			w.outs.rewriteAll()
			w.mu.Unlock()
			pause = min(2*pause, maxWriteRetry)
		default:
			pause = writeEvery
		}
		w.updateOtherCells(updates)
		if places := w.Places(); len(places) > 0 {
			w.to.Displays.Enter(w.to.Cell, places)
		}
		rest := time.NewTimer(pause)
		select {
		case <-w.ctx.Done():
		case <-rest.C:
		}
		rest.Stop()
	}
}

// add writes a part of the late output, unless the cell is not the run's any more.
func (w *Writer) add(p part) error {
	ctx, stop := context.WithTimeout(w.ctx, writeTimeout)
	defer stop()
	replica := w.to.Notebook.Notebook()
	err := w.to.Notebook.Edit(ctx, "output", func(e *ydoc.Editor) error {
		cell, ok := e.Cell(w.to.Cell)
		switch {
		case !ok, cell.Type != ydoc.Code, cell.ExecutionState == ydoc.Running:
			return errOver
		case (cell.ExecutionCount == nil) != (p.count == nil), p.count != nil && *cell.ExecutionCount != *p.count:
			return errOver
		case replica == w.into && len(cell.Outputs) < w.wrote:
			return errOver
		}
		return p.stageOutputs(e, w.to.Cell)
	})
	if err == nil {
		w.wrote, w.into = p.outputs, replica
	}
	return err
}
