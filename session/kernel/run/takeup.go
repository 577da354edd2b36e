package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// When a notebook is opened, the runs in it that an earlier session or a dead process has left are taken up: the kernel
// that executes one sends its further messages to us.

// The notes in the cells of such runs.
const (
	noteResumed = "[nbduet was away while this cell ran: output may be missing here]\n"
	noteLost    = "[nbduet was away while this cell ran, and the run was lost: %s. Its output since then is unknown.]\n"
	noteDropped = "[not run: nbduet ended before the cell's turn came]\n"
)

// errTaken is the error of a run whose cell was run again or changed while no process followed the run.
var errTaken = errors.New("its cell was rerun, cleared or deleted meanwhile: the output of the earlier run is unknown")

// Start starts the queue, takes up the runs that were left in the notebook, and looks for stray cells.
func (c *Cells) Start() {
	c.wg.Go(func() {
		c.takeUp() // before any other run
		close(c.ready)
		c.Queue.Start()
		c.tidyStrays()
	})
}

// Ready returns when the runs that were left in the notebook are known, or the context ends.
func (c *Cells) Ready(ctx context.Context) {
	select {
	case <-c.ready:
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
}

// takeUp queues the runs that were left before any others.
func (c *Cells) takeUp() {
	var records []Record
	c.table.ledger("take up", func(ctx context.Context, l Ledger) (err error) {
		records, err = l.Take(ctx, c.nb.FileID())
		return err
	})
	if len(records) == 0 {
		return
	}
	runs := make([]*Run, len(records))
	for i, rec := range records {
		r := &Run{Path: c.nb.Path(), CellID: rec.Cell, queue: c.Queue, group: c.table.groups.Add(1), resume: &records[i]}
		c.table.add(r, Options{Owner: rec.Owner})
		if r.ID != rec.Run {
			r.add("it was " + rec.Run + " of another nbduet")
		}
		c.keep(r)
		c.marks.mark(rec.Client, r)
		r.marked(rec.Mark)
		runs[i] = r
	}
	c.nb.Hold(len(runs))
	c.pushFirst(runs...)
}

// goOn continues a run that was left, from its cell's present content to its end.
func (c *Cells) goOn(r *Run) {
	defer c.nb.Hold(-1)
	cell, ours := c.leftAs(r.resume)
	if !ours {
		r.end(Lost, errTaken)
		c.marks.unmark(r)
		return
	}
	before, begun, _ := withoutLeft(cell)
	if before == nil {
		before = []ydoc.Output{}
	}
	shown := before
	if !begun {
		shown = nil
	}
	w := c.newWriter(r, shown)
	r.begin(w)
	state, err := byKernel{c}.goOn(r, w, before)
	c.finish(r, w, state, err)
}

// leftAs returns the cell of a run that was left, and whether it still shows that run: it has our note, or we were the last
// client to mark it as running.
func (c *Cells) leftAs(rec *Record) (ydoc.Cell, bool) {
	nb := c.nb.Notebook()
	cell, ok := nb.Cell(rec.Cell)
	if !ok || cell.Type != ydoc.Code {
		return cell, false
	}
	if _, _, noted := withoutLeft(cell); noted {
		return cell, cell.ExecutionState != ydoc.Running
	}
	by, _ := nb.StateBy(rec.Cell)
	return cell, cell.ExecutionState == ydoc.Running && by == rec.Client
}

// withoutLeft returns the outputs of the cell of a run that was left, without the note, and whether they are that run's
// (begun). Otherwise they are an earlier run's, because the kernel had not begun this one. noted reports whether it found a
// note.
func withoutLeft(cell ydoc.Cell) (outs []ydoc.Output, begun, noted bool) {
	for note, begun := range map[string]bool{noteLeft: true, noteLeftWaiting: false} {
		if outs, noted = output.WithoutNote(cell.Outputs, note); noted {
			return outs, begun, true
		}
	}
	return cell.Outputs, cell.ExecutionCount == nil, false // the begin of a run removes the count
}

// goOn connects to the kernel under the session that began a run, and follows it.
func (k byKernel) goOn(r *Run, w *output.Writer, before []ydoc.Output) (State, error) {
	rec := r.resume
	if !rec.Sent() {
		k.noteNotRun(r, w, noteDropped)
		return Cancelled, errors.New("not run: the nbduet that queued it ended before its turn came")
	}
	srv := k.nb.Servers().Runtime
	conn, err := kernel.Resume(k.ctx, srv, rec.Mark, kernel.Options{Logger: k.table.cfg.Log})
	switch {
	case k.ctx.Err() != nil:
		return k.conclude(r, w, kernel.Reply{}, nil, k.ctx.Err())
	case errors.Is(err, jupyter.ErrNotFound) && !jupyter.SameServer(srv.BaseURL(), rec.Mark.Server):
		return k.lost(w, fmt.Errorf("its kernel was on %s, and is not on %s", rec.Mark.Server, srv.BaseURL()))
	case errors.Is(err, jupyter.ErrNotFound):
		return k.lost(w, errors.New("its kernel is gone"))
	case unreachable(err): // it may still be running
		w.Note("\n" + noteLeft)
		return Lost, fmt.Errorf("%w (%w)", ErrLeft, err)
	case err != nil:
		return k.lost(w, fmt.Errorf("its kernel refuses nbduet: %w", err))
	}
	defer conn.Close()
	r.add("nbduet was away while it ran: output may be missing")
	ctx, stop := k.late(nil)
	err = k.nb.Edit(ctx, "run", func(e *ydoc.Editor) error {
		return errors.Join(e.SetOutputs(r.CellID, before), e.QueueRun(r.CellID))
	})
	stop()
	if err != nil {
		return Lost, fmt.Errorf("mark the cell as running: %w", err)
	}
	if w.Begun() {
		w.Note("\n" + noteResumed)
	}
	r.add(k.nb.Link().Take(rec.Mark.Kernel)) // to interrupt
	if w.Begun() && r.take() {               // the kernel reports the begin only once
		k.interruptLate(r)
	}
	reply, in, err := k.converse(r, k.nb.Link(), conn, w, func(handle func(kernel.Event)) (kernel.Reply, error) {
		return conn.Await(k.ctx, handle)
	})
	if errors.Is(err, kernel.ErrAnswerLost) {
		return k.lost(w, errors.New("it has ended, or the kernel was restarted"))
	}
	return k.conclude(r, w, reply, in, err)
}

// lost ends a run that can no longer be followed.
func (k byKernel) lost(w *output.Writer, why error) (State, error) {
	w.Note("\n" + fmt.Sprintf(noteLost, why))
	return Lost, fmt.Errorf("nbduet was away while it ran, and it was lost: %w", why)
}
