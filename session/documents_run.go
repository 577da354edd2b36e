package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/output"
	"github.com/nbduet/nbduet/ydoc"
)

// With jupyter-server-documents the server runs a notebook's cells and writes
// what comes of them into the room. Running them over a socket to the kernel,
// as is done elsewhere, is not sound there: all sockets of a kernel have one
// ZeroMQ identity (its websocket_connection.py), so that the newest one gets
// what is sent to it and the requests of the others vanish, which would be
// those of the people's tabs.
//
// So a run is handed over, and then followed in the room and by the kernel's
// state. Code cannot ask for input there.

const (
	// followEvery is the pause between two looks at a cell that runs.
	followEvery = 50 * time.Millisecond
	// kernelEvery is the pause between two looks at its kernel.
	kernelEvery = time.Second
	// A kernel that has been idle at so many of these looks in a row does not
	// run the cell: markedIdle while the cell shows as busy, endedIdle while it
	// does not and has no count.
	markedIdle = 10
	endedIdle  = 5
	// sourceTries is how often a cell is handed over again after somebody has
	// edited it on the way.
	sourceTries = 5
)

// errKernelSocket is what is said to who wants to talk to a notebook's kernel
// beside its cells.
var errKernelSocket = errors.New("this does not work with jupyter-server-documents: a second connection to a notebook's kernel " +
	"takes the place of the one that a person's tab has, which then gets no answers; put the code into a cell and run it, " +
	"or use a session without a notebook, which has a kernel of its own")

// noteNoInput is added to a run whose code asked for input.
const noteNoInput = "input() does not work with jupyter-server-documents, which runs cells without anybody to ask"

// askServer has the server run a cell, and follows it to its end.
func (d *Document) askServer(r *Run, w *output.Writer) (RunState, error) {
	w.Mirror([]ydoc.Output{}, nil)
	s, _, err := d.jupyterSession(d.ctx, "")
	if err != nil {
		return Lost, fmt.Errorf("find the kernel: %w", err)
	}
	if s.Kernel.ExecutionState == kernel.StateDead {
		if _, err := d.m.cfg.Kernels.Restart(d.ctx, s.Kernel.ID); err != nil {
			return Lost, fmt.Errorf("start the kernel again, which had died: %w", err)
		}
		d.reattach(d.ctx, s)
		r.add(kernel.RestartNews(kernel.ErrKernelDied))
	}
	if r.interruptAsked() {
		return Cancelled, fmt.Errorf("run %s was cancelled before it started", r.ID)
	}
	r.add(d.kernel.Take(s.Kernel.ID)) // to interrupt
	lv := d.current()
	if err := d.handOver(lv, s, r.CellID); err != nil {
		return Lost, err
	}
	if r.take() {
		d.interruptLate(r)
	}
	f := &follower{d: d, r: r, w: w, s: s, lv: lv}
	return f.run()
}

// handOver puts a cell into the server's queue.
func (d *Document) handOver(lv *live, s jupyter.Session, cell string) error {
	attached := false
	for try := 1; ; try++ {
		if err := lv.room.Barrier(d.ctx); err != nil {
			return fmt.Errorf("not run: its room was lost: %w", err)
		}
		c, ok := lv.nb.Cell(cell)
		if !ok {
			return errors.New("the cell was deleted before its turn came")
		}
		err := d.m.cfg.Kernels.ExecuteCell(d.ctx, s.Kernel.ID, lv.room.ID(), cell, c.Source)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, jupyter.ErrConflict) && try < sourceTries:
		case errors.Is(err, jupyter.ErrDetached) && !attached:
			// The room was made again since the session was.
			attached = true
			if err := d.m.cfg.Kernels.AttachKernel(d.ctx, s.ID, s.Kernel.ID); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// reattach connects the room to its kernel's new process, where the server runs
// the cells and does not notice that there is one.
func (d *Document) reattach(ctx context.Context, s jupyter.Session) {
	if !d.current().documents {
		return
	}
	if err := d.m.cfg.Kernels.AttachKernel(ctx, s.ID, s.Kernel.ID); err != nil {
		d.m.log.Warn("the notebook's room was not connected to its restarted kernel", "path", d.Path(), "error", err)
	}
}

// follower watches a cell that the server runs.
type follower struct {
	d    *Document
	r    *Run
	w    *output.Writer
	s    jupyter.Session
	lv   *live // that the cell was last seen in
	idle int   // looks in a row at which the kernel was idle
}

func (f *follower) run() (RunState, error) {
	asked := time.Now()
	for {
		select {
		case <-f.d.ctx.Done():
			return Lost, f.d.ctx.Err()
		case <-time.After(followEvery):
		}
		lv := f.d.current()
		if lv.room.Err() != nil {
			continue // it is being joined afresh
		}
		// What is in another room is to be believed only of the same server,
		// which then has the kernel still: a new one shows what was on disk.
		if lv != f.lv || time.Since(asked) > kernelEvery {
			known, err := f.look(lv)
			if err != nil {
				return Lost, err
			}
			if !known {
				continue
			}
			asked, f.lv = time.Now(), lv
		}
		c, ok := lv.nb.Cell(f.r.CellID)
		if !ok {
			return Lost, errors.New("the cell was deleted while it ran: what it puts out is written nowhere")
		}
		f.w.Mirror(c.Outputs, c.ExecutionCount)
		if c.ExecutionCount != nil && c.ExecutionState != ydoc.Running {
			return f.ended(c)
		}
	}
}

// look asks for the kernel; the error is why the run has no end to wait for.
func (f *follower) look(lv *live) (known bool, err error) {
	ctx, stop := context.WithTimeout(f.d.ctx, finishTimeout*5)
	defer stop()
	k, err := f.d.m.cfg.Kernels.Kernel(ctx, f.s.Kernel.ID)
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return false, kernel.ErrShutDown
	case err != nil:
		return false, nil // the server does not answer now
	case k.ExecutionState == kernel.StateDead:
		return false, kernel.ErrKernelDead
	case k.ExecutionState != kernel.StateIdle:
		f.idle = 0
		return true, nil
	}
	f.idle++
	c, ok := lv.nb.Cell(f.r.CellID)
	switch {
	case !ok || c.ExecutionCount != nil && c.ExecutionState != ydoc.Running:
	case c.ExecutionState == ydoc.Running && f.idle >= markedIdle:
		f.d.reattach(ctx, f.s) // the server waits for a process that is gone
		return false, kernel.ErrKernelRestarted
	case c.ExecutionState != ydoc.Running && f.idle >= endedIdle:
		return false, kernel.ErrKernelRestarted
	}
	return true, nil
}

// ended reads off a cell how its run has ended.
func (f *follower) ended(c ydoc.Cell) (RunState, error) {
	for _, o := range c.Outputs {
		if o["output_type"] != "error" {
			continue
		}
		if o["ename"] == "StdinNotImplementedError" {
			f.r.add(noteNoInput)
		}
		if o["ename"] == "KeyboardInterrupt" || f.r.interruptAsked() {
			return Interrupted, nil
		}
		return Failed, nil
	}
	return Done, nil
}
