package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// With jupyter-server-documents the server runs a notebook's cells and writes their outputs into the room. Running them
// over a socket to the kernel, as kernel.go does, is not safe there: all sockets of a kernel share one ZeroMQ identity (see
// its websocket_connection.py), so the newest one gets all replies, and requests on the others, such as those of people's
// tabs, get none.
//
// So the server gets the run, which is followed through the room and the kernel's state. Code cannot request input.

const (
	// followEvery is the pause between two checks of a running cell.
	followEvery = 50 * time.Millisecond
	// kernelEvery is the pause between two checks of its kernel.
	kernelEvery = time.Second
	// A kernel that is idle in this many checks in a row does not run the cell: markedIdle if the cell shows as busy,
	// endedIdle if it does not and has no count.
	markedIdle = 10
	endedIdle  = 5
	// sourceTries is how often a cell is sent again because it was edited meanwhile.
	sourceTries = 5
)

// noteNoInput is added to a run whose code requested input.
const noteNoInput = "input() does not work with jupyter-server-documents, which cannot ask a person for input"

// byDocuments runs cells by jupyter-server-documents.
type byDocuments struct{ *Cells }

// run makes the server run a cell, and follows it to its end. The error says why the run was lost or cancelled.
func (d byDocuments) run(r *Run, w *output.Writer) (State, error) {
	srv := d.nb.Servers().Runtime
	s, err := d.nb.Session(d.ctx)
	if err != nil {
		return Cancelled, fmt.Errorf("not run: %w", err)
	}
	if s.Kernel.ExecutionState == kernel.StateDead {
		if _, err := srv.Kernels.Restart(d.ctx, s.Kernel.ID); err != nil {
			return Cancelled, fmt.Errorf("not run: restart the dead kernel: %w", err)
		}
		d.nb.Reattach(d.ctx, s)
		r.add(kernel.RestartNews(kernel.ErrKernelDied))
	}
	if r.interruptAsked() {
		return Cancelled, r.cancelled()
	}
	r.add(d.nb.Link().Take(s.Kernel.ID)) // to interrupt
	refuse, err := d.handOver(d.ctx, r, w)
	if err != nil {
		return Cancelled, fmt.Errorf("not run: %w", err)
	}
	f := &follower{Cells: d.Cells, srv: srv, r: r, w: w, s: s, at: d.nb.Joined()}
	if err := f.send(); err != nil {
		return refuse(err)
	}
	if r.take() {
		d.interruptLate(r)
	}
	state, err := f.follow()
	if d.ctx.Err() != nil {
		w.Leave() // the server continues the cell, and marks its end
		return Lost, errors.New("the session of its notebook was ended: the server continues the cell and writes its output")
	}
	return state, err
}

// send puts the cell into the server's queue.
func (f *follower) send() error {
	attached := false
	for try := 1; ; try++ {
		ctx, stop := context.WithTimeout(f.ctx, kernel.GiveUpAfter)
		err := f.at.Room.Barrier(ctx)
		stop()
		if err != nil {
			return fmt.Errorf("not run: its room was lost: %w", err)
		}
		c, ok := f.at.Notebook.Cell(f.r.CellID)
		if !ok {
			return errors.New("the cell was deleted before its turn came")
		}
		err = f.srv.Kernels.ExecuteCell(f.ctx, f.s.Kernel.ID, f.at.Room.ID(), c.NBID, c.Source)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, jupyter.ErrConflict) && try < sourceTries:
		case errors.Is(err, jupyter.ErrDetached) && !attached:
			// The room is newer than the session.
			attached = true
			if err := f.srv.Sessions.AttachKernel(f.ctx, f.s.ID, f.s.Kernel.ID); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// follower watches a cell that the server runs.
type follower struct {
	*Cells
	srv  *jupyter.Server
	r    *Run
	w    *output.Writer
	s    jupyter.Session
	at   Joined // where the cell was last seen
	idle int    // checks in a row at which the kernel was idle

	answered time.Time // when the server last answered
	refused  time.Time // since when the server has refused connections; zero if it does not
}

// follow follows the cell to its end.
func (f *follower) follow() (State, error) {
	asked := time.Now()
	f.answered = asked
	for {
		select {
		case <-f.ctx.Done():
			return Lost, f.ctx.Err()
		case <-time.After(followEvery):
		}
		at := f.nb.Joined()
		if at.Room.Err() != nil { // it is being rejoined
			if time.Since(asked) > kernelEvery {
				if _, err := f.state(); err != nil {
					return Lost, err
				}
				asked = time.Now()
			}
			continue
		}
		// The content of another room counts only if the server is the same, and so still has the kernel: a new server
		// shows the content of the file.
		if at != f.at || time.Since(asked) > kernelEvery {
			known, err := f.look(at)
			if err != nil {
				return Lost, err
			}
			if !known {
				continue
			}
			asked, f.at = time.Now(), at
		}
		c, ok := at.Notebook.Cell(f.r.CellID)
		if !ok {
			return Lost, errors.New("the cell was deleted while it ran: its output is not written")
		}
		f.w.Mirror(c.Outputs, c.ExecutionCount)
		if c.ExecutionCount != nil && c.ExecutionState != ydoc.Running {
			return f.ended(c)
		}
	}
}

// state queries the server for the kernel's state, "" if it does not answer now; an error means that the run will not end.
func (f *follower) state() (string, error) {
	ctx, stop := context.WithTimeout(f.ctx, finishTimeout*5)
	defer stop()
	k, err := f.srv.Kernels.Get(ctx, f.s.Kernel.ID)
	if err := f.heed(err); err != nil {
		return "", err
	}
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return "", kernel.ErrShutDown
	case err != nil:
		return "", nil
	case k.ExecutionState == kernel.StateDead:
		return "", kernel.ErrKernelDead
	}
	return k.ExecutionState, nil
}

// heed notes whether the server has answered; it returns an error if the server is given up.
func (f *follower) heed(err error) error {
	now := time.Now()
	if f.ctx.Err() != nil || !unreachable(err) {
		f.answered, f.refused = now, time.Time{}
		return nil //nolint:nilerr // it is an answer
	}
	if !errors.Is(err, jupyter.ErrUnreachable) {
		f.refused = time.Time{}
	} else if f.refused.IsZero() {
		f.refused = now
	}
	if now.Sub(f.answered) > kernel.GiveUpAfter || !f.refused.IsZero() && now.Sub(f.refused) > kernel.RefusedFor {
		return &kernel.AwayError{Since: f.answered, Err: err}
	}
	return nil
}

// look queries the server for the kernel; an error means that the run will not end.
func (f *follower) look(at Joined) (known bool, err error) {
	state, err := f.state()
	switch {
	case err != nil || state == "":
		return false, err
	case state != kernel.StateIdle:
		f.idle = 0
		return true, nil
	}
	f.idle++
	c, ok := at.Notebook.Cell(f.r.CellID)
	switch {
	case !ok || c.ExecutionCount != nil && c.ExecutionState != ydoc.Running:
	case c.ExecutionState == ydoc.Running && f.idle >= markedIdle:
		ctx, stop := context.WithTimeout(f.ctx, finishTimeout*5)
		f.nb.Reattach(ctx, f.s) // the server waits for a process that is gone
		stop()
		return false, kernel.ErrKernelRestarted
	case c.ExecutionState != ydoc.Running && f.idle >= endedIdle:
		return false, kernel.ErrKernelRestarted
	}
	return true, nil
}

// ended determines from a cell how its run has ended.
func (f *follower) ended(c ydoc.Cell) (State, error) {
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
