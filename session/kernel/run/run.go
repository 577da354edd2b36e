package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/session/textfmt"
)

// State is the state of a run.
type State string

// The states of a run. The last five are final.
const (
	Queued  State = "queued"  // waits for the runs before it
	Running State = "running" // the kernel has it
	// WaitingForInput is a run in the kernel whose code waits for input while no person is asked, see [Run.Answer].
	WaitingForInput State = "waiting_for_input"

	Done        State = "done"        // ended without an error
	Failed      State = "failed"      // the code raised an error
	Interrupted State = "interrupted" // ended by an interrupt
	Cancelled   State = "cancelled"   // never started: it was cancelled, or a run before it failed
	Lost        State = "lost"        // the kernel, or the connection to it, was lost during the run
)

// Ended reports whether the state is final.
func (s State) Ended() bool { return s != Queued && s != Running && s != WaitingForInput }

// Result is a snapshot of a run.
type Result struct {
	State           State
	output.Snapshot           // its output so far
	Started         time.Time // zero while queued
	Ended           time.Time // zero until it has ended
	Err             error     // why it was lost or cancelled
	// Note is further information for the caller, such as that the kernel is new; "" for none.
	Note string
	// Begun reports that the kernel has begun the code: it is not busy with other code, or starting.
	Begun bool
	// Asking is the question that the code waits for; nil for none.
	Asking *Question
}

// Run is one execution of one cell, or of code in a kernel without a notebook. It does not end with the call that started
// it.
type Run struct {
	ID     string       // unique in this process
	Path   jupyter.Path // of the notebook; the root for none
	CellID string       // may be ""
	// Session is the analysis session that asked for it, "" for none.
	Session string
	// Owner is the client that started it; if not "", only that client may see the run.
	Owner string

	table  *Table
	number int     // in the id
	record *Record // in the ledger, or nil
	resume *Record // of an earlier session, if the run is taken up, else nil
	code   string  // without a cell
	kernel string  // that runs the code; "" for a cell
	group  uint64  // the call that started it: as in JupyterLab, the first failed cell cancels the later ones of the group
	done   chan struct{}

	mu      sync.Mutex
	ask     Asker         // may be nil
	askers  chan struct{} // closed when ask changes
	vacant  vacancy       // nil unless the code waits for input while no person is asked
	unasked chan struct{} // closed while vacant is not nil
	queue   *Queue        // nil after the end, so that a run does not keep its document in memory
	res     Result        // without the writer's part
	left    output.LeftOut
	writer  output.Sink // while it runs, and while its code may produce late output, see lateRuns
	late    bool        // its code may produce output after the end
	taken   bool        // the kernel has begun it
	asked   bool        // Cancel was called
}

// Result returns a snapshot of the run.
func (r *Run) Result() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result()
}

// result is Result with r.mu held.
func (r *Run) result() Result {
	res := r.res
	res.State, res.Begun = r.state(), r.taken
	if r.writer != nil {
		res.Snapshot = r.writer.Snapshot()
	}
	return res
}

// Status is Result without the outputs and their cost.
func (r *Run) Status() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := r.res
	res.State, res.Begun = r.state(), r.taken
	if r.writer != nil {
		res.Count = r.writer.Count()
	}
	res.Outputs = nil
	return res
}

// state returns the run's state with r.mu held.
func (r *Run) state() State {
	if r.vacant != nil && r.res.State == Running {
		return WaitingForInput
	}
	return r.res.State
}

// Done returns a channel that is closed when the run has ended.
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

// begin marks the run as running.
func (r *Run) begin(w output.Sink) {
	r.mu.Lock()
	r.res.State, r.res.Started, r.writer = Running, time.Now(), w
	r.mu.Unlock()
	r.table.tell(r)
}

// add adds a note for the caller.
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
	r.res.State, r.res.Err, r.res.Ended = state, err, time.Now()
	r.queue = nil
	size := output.Size(r.res.Outputs)
	if !r.late {
		freeze(r)
	}
	r.mu.Unlock()
	r.unkeep(errors.Is(err, ErrLeft)) // before the end becomes visible and the notebook can be opened again
	close(r.done)
	r.table.settle(r, size)
	r.table.tell(r)
}

// freeze copies the writer's output into a run that gets no more. r.mu is held.
func freeze(r *Run) {
	if r.writer == nil {
		return
	}
	r.res, r.left = r.result(), r.writer.LeftOut()
	r.writer = nil
}

// TakenUp reports whether the run was begun in an earlier session, or by an earlier process.
func (r *Run) TakenUp() bool { return r.resume != nil }

// forget drops the outputs of an ended run.
func (r *Run) forget() {
	r.mu.Lock()
	freeze(r)
	r.res.Outputs, r.left = nil, r.left.WithoutTail()
	r.mu.Unlock()
	r.dropLeftOut()
	r.add("its outputs are no longer kept here; the cell has them until it is run again")
}

// ErrNothingLeftOut reports that a run's cell has all of its output.
var ErrNothingLeftOut = textfmt.Fixed("no text was left out of the notebook")

// LeftOut returns the text that was left out of the run's cell: at most n characters from offset on. total is the number of
// characters so far. The text is kept as long as the run's outputs, unless later runs exceed the limit for all runs; the
// text marks missing parts. It has stdout and stderr in order of arrival.
func (r *Run) LeftOut(offset, n int) (text string, total int, err error) {
	r.mu.Lock()
	left := r.left
	if r.writer != nil {
		left = r.writer.LeftOut()
	}
	r.mu.Unlock()
	if left.Empty() {
		return "", 0, fmt.Errorf("run %s: %w", r.ID, ErrNothingLeftOut)
	}
	if text, total, err = left.Page(offset, n); err != nil {
		return "", 0, fmt.Errorf("run %s: %w", r.ID, err)
	}
	return text, total, nil
}

// dropLeftOut drops that text.
func (r *Run) dropLeftOut() {
	r.mu.Lock()
	left := r.left
	r.mu.Unlock()
	left.Drop()
}
