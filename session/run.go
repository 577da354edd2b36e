package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nbduet/nbduet/ydoc"
)

// RunState is where a run stands.
type RunState string

// The states of a run. The last five are final.
const (
	Queued      RunState = "queued"      // waits for the runs before it
	Running     RunState = "running"     // the kernel has it
	Done        RunState = "done"        // ended without an error
	Failed      RunState = "failed"      // the code raised an error
	Interrupted RunState = "interrupted" // ended by an interrupt
	Cancelled   RunState = "cancelled"   // never started, because one before it failed or it was taken back
	Lost        RunState = "lost"        // the kernel, or the way to it, went away in the middle
)

// Ended reports whether the state is a final one.
func (s RunState) Ended() bool { return s != Queued && s != Running }

// Result is what is known of a run at one moment.
type Result struct {
	State   RunState
	Outputs []ydoc.Output // so far, as they stand in the cell
	Count   *int          // the execution count, once the kernel has given it
	Started time.Time     // zero while queued
	Ended   time.Time     // zero until it has ended
	Err     error         // why it was lost or cancelled
}

// Run is one execution of one cell. It goes on whatever becomes of the call
// that asked for it.
type Run struct {
	ID     string // unique while the program runs
	Path   string // of the notebook
	CellID string

	doc   *Document
	group *runGroup
	done  chan struct{}

	mu     sync.Mutex
	res    Result        // without what the writer has
	writer *outputWriter // from the start on
	asked  bool          // an interrupt was asked for
}

// Result is the run as it stands.
func (r *Run) Result() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	res := r.res
	if r.writer != nil {
		res.Outputs, res.Count = r.writer.soFar()
	}
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

// Cancel takes back a run that waits, and interrupts the kernel for one that
// is running. It does not wait for the end.
func (r *Run) Cancel(ctx context.Context) error {
	r.mu.Lock()
	state := r.res.State
	r.asked = true
	r.mu.Unlock()
	switch state {
	case Queued, Running:
		if state == Queued && r.doc.queue.remove(r) {
			r.end(Cancelled, fmt.Errorf("run %s was cancelled before it started", r.ID))
			return r.doc.idleCells(ctx, r)
		}
		return r.doc.interrupt(ctx)
	}
	return nil
}

func (r *Run) interruptAsked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// begin marks the run as taken up by the kernel.
func (r *Run) begin(w *outputWriter) {
	r.mu.Lock()
	r.res.State, r.res.Started, r.writer = Running, time.Now(), w
	r.mu.Unlock()
}

// end closes the run, once.
func (r *Run) end(state RunState, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.res.State.Ended() {
		return
	}
	r.res.State, r.res.Err, r.res.Ended = state, err, time.Now()
	close(r.done)
}

// runsKept is how many runs are remembered after their end.
const runsKept = 512

// runTable finds runs by id.
type runTable struct {
	mu   sync.Mutex
	next int
	runs *lru.Cache[string, *Run]
}

// add names a run and remembers it. The oldest is forgotten when there are too
// many.
func (t *runTable) add(r *Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs == nil {
		c, err := lru.New[string, *Run](runsKept)
		if err != nil {
			panic(err) // the size is a positive constant
		}
		t.runs = c
	}
	t.next++
	r.ID = fmt.Sprintf("run-%d", t.next)
	t.runs.Add(r.ID, r)
}

// Run finds a run by its id, as long as it is remembered.
func (m *Manager) Run(id string) (*Run, bool) {
	m.runs.mu.Lock()
	defer m.runs.mu.Unlock()
	if m.runs.runs == nil {
		return nil, false
	}
	return m.runs.runs.Get(id)
}
