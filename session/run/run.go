package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/output"
	"github.com/nbduet/nbduet/ydoc"
)

// State is where a run stands.
type State string

// The states of a run. The last five are final.
const (
	Queued      State = "queued"      // waits for the runs before it
	Running     State = "running"     // the kernel has it
	Done        State = "done"        // ended without an error
	Failed      State = "failed"      // the code raised an error
	Interrupted State = "interrupted" // ended by an interrupt
	Cancelled   State = "cancelled"   // never started, because one before it failed or it was taken back
	Lost        State = "lost"        // the kernel, or the way to it, went away in the middle
)

// Ended reports whether the state is a final one.
func (s State) Ended() bool { return s != Queued && s != Running }

// Result is what is known of a run at one moment.
type Result struct {
	State   State
	Outputs []ydoc.Output // so far, as they stand in the cell
	Count   *int          // the execution count, once the kernel has given it
	Started time.Time     // zero while queued
	Ended   time.Time     // zero until it has ended
	Err     error         // why it was lost or cancelled
	// Note is what else the caller should know, such as that the kernel is a new one; "" for nothing.
	Note string
	// Dropped tells that the Jupyter server left out output of its own accord, because more came than its limits let
	// through.
	Dropped bool
	// Omitted counts the bytes of output that the cell does not hold because there were too many. The last of them are
	// in Outputs, behind the note that says so.
	Omitted int
	// Asking is the question that the code waits for an answer to; nil for none.
	Asking *Question
}

// Run is one execution of one cell, or of code in a kernel alone. It goes on whatever becomes of the call that asked
// for it.
type Run struct {
	ID     string // unique while the program runs
	Path   string // of the notebook; "" for none
	CellID string // "" for none
	// Session is the analysis session that it was asked for in, "" for none.
	Session string
	// Owner is who asked for it, "" for nobody in particular. It is nobody else's to see.
	Owner string

	table *Table
	code  string // where there is no cell
	group uint64 // the call that asked for it: as in JupyterLab, the first cell that fails takes those behind it with it
	done  chan struct{}

	mu     sync.Mutex
	ask    Asker         // nil for nobody
	askers chan struct{} // closed when ask changes
	queue  *Queue        // nil when it has ended: who remembers a run does not hold its document
	res    Result        // without what the writer has
	left   output.LeftOut
	writer output.Sink // while it runs
	taken  bool        // the kernel has begun with it
	asked  bool        // an interrupt was asked for
}

// Result is the run as it stands.
func (r *Run) Result() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result()
}

// result is Result with r.mu held.
func (r *Run) result() Result {
	res := r.res
	if r.writer != nil {
		s := r.writer.Snapshot()
		res.Outputs, res.Count, res.Dropped, res.Omitted = s.Outputs, s.Count, s.Dropped, s.Omitted
	}
	return res
}

// Status is Result without the outputs, which cost nothing then.
func (r *Run) Status() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := r.res
	if r.writer != nil {
		res.Count = r.writer.Count()
	}
	res.Outputs = nil
	return res
}

// Done is closed when the run has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// Wait returns when the run has ended, or with the context's error.
func (r *Run) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for run %s: %w", r.ID, ctx.Err())
	}
}

// begin marks the run as taken up by the kernel.
func (r *Run) begin(w output.Sink) {
	r.mu.Lock()
	r.res.State, r.res.Started, r.writer = Running, time.Now(), w
	r.mu.Unlock()
	r.table.tell(r)
}

// add notes something that the caller should know.
func (r *Run) add(note string) {
	if note == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.res.Note != "" {
		note = r.res.Note + "; " + note
	}
	r.res.Note = note
}

// end closes the run, once.
func (r *Run) end(state State, err error) {
	r.mu.Lock()
	if r.res.State.Ended() {
		r.mu.Unlock()
		return
	}
	r.res = r.result()
	if r.writer != nil {
		r.left = r.writer.LeftOut()
	}
	r.res.State, r.res.Err, r.res.Ended = state, err, time.Now()
	r.writer, r.queue = nil, nil
	size := output.Size(r.res.Outputs)
	close(r.done)
	r.mu.Unlock()
	r.table.settle(r, size)
	r.table.tell(r)
}

// forget lets go of the outputs of a run that has ended.
func (r *Run) forget() {
	r.mu.Lock()
	r.res.Outputs, r.left = nil, r.left.WithoutTail()
	r.mu.Unlock()
	r.dropLeftOut()
	r.add("its outputs are no longer remembered here; the cell holds them as long as it is not run again")
}
