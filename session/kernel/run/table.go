package run

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/kernel/output"
)

const (
	// runsKept is how many runs are kept, including current ones.
	runsKept = 512
	// runBytesKept bounds the outputs of ended runs.
	runBytesKept = 64 << 20
)

// TableConfig is shared by all runs of a table.
type TableConfig struct {
	// InputTimeout is how long to wait for a person's input; 0 for DefaultInputTimeout.
	InputTimeout time.Duration
	// Changing, if not nil, is called when a run begins; its result is called when the run has ended.
	Changing func() (ended func())
	// Tell, if not nil, is called when a run has begun or ended, with locks held.
	Tell func(*Run)
	// Asks, if not nil, is called when a run's code begins to wait for input, and when it no longer does.
	Asks func(*Run)
	// Ledger keeps the data to take runs up; nil for one that ends with the process.
	Ledger Ledger
	Log    *slog.Logger
}

// Table finds runs by id. It never drops a run that has not ended. If there are too many, the owner with the most runs
// loses one.
type Table struct {
	cfg    TableConfig
	spools output.Spools // of the runs' output

	figures *figure.Known // the properties of the figures that runs have shown
	groups  atomic.Uint64 // the last id of the runs of one call

	mu     sync.Mutex
	next   int
	byID   map[string]*Run
	order  []*Run         // oldest first
	sizes  map[string]int // of the outputs of ended runs
	bytes  int            // the sum of sizes
	ended  []*Run         // the runs in sizes, first ended first
	orphan map[*Run]bool  // current runs of owners that have left
}

// NewTable returns an empty table.
func NewTable(cfg TableConfig) *Table {
	cfg.InputTimeout = cmp.Or(max(cfg.InputTimeout, 0), DefaultInputTimeout)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg.Ledger = cmp.Or(cfg.Ledger, NewMemory())
	t := &Table{
		cfg: cfg, figures: figure.NewKnown(), byID: make(map[string]*Run), sizes: make(map[string]int), orphan: make(map[*Run]bool),
	}
	t.ledger("last", func(ctx context.Context, l Ledger) (err error) {
		t.next, err = l.Last(ctx) // an earlier process's run keeps its id
		return err
	})
	return t
}

// Figures returns the properties of the figures that runs have shown.
func (t *Table) Figures() *figure.Known { return t.figures }

// stores returns the places for the runs' output outside their cells.
func (t *Table) stores() output.Stores {
	return output.Stores{Spools: &t.spools, Figures: t.figures}
}

// Close removes the runs' data in files.
func (t *Table) Close() { t.spools.Close() }

// ledgerTimeout bounds one use of the ledger, so that runs do not wait longer for it.
const ledgerTimeout = 2 * time.Second

// ledger calls the table's ledger with a time limit. Errors are logged: the run continues, but cannot be taken up if this
// process ends.
func (t *Table) ledger(what string, use func(context.Context, Ledger) error) {
	ctx, stop := context.WithTimeout(context.Background(), ledgerTimeout)
	defer stop()
	if err := use(ctx, t.cfg.Ledger); err != nil {
		t.cfg.Log.Warn("a run will not be known to a later nbduet", "what", what, "error", err)
	}
}

// tell reports the begin or end of a run.
func (t *Table) tell(r *Run) {
	if t.cfg.Tell != nil {
		t.cfg.Tell(r)
	}
}

// add adds a new waiting run and gives it an id. If there are too many runs, an old ended one is dropped.
func (t *Table) add(r *Run, opt Options) {
	r.ask, r.Session, r.Owner, r.res.State = opt.Ask, opt.Session, opt.Owner, Queued
	r.done, r.askers, r.unasked = make(chan struct{}), make(chan struct{}), make(chan struct{})
	t.mu.Lock()
	defer t.mu.Unlock()
	r.table = t
	if r.resume != nil && t.byID[r.resume.Run] == nil {
		r.ID, r.number = r.resume.Run, r.resume.Number
		t.next = max(t.next, r.number)
	} else {
		t.next++
		r.ID, r.number = fmt.Sprintf("run-%d", t.next), t.next
	}
	t.byID[r.ID] = r
	t.order = append(t.order, r)
	for len(t.order) > runsKept {
		old := greediest(t.order, func(*Run) int { return 1 }, func(r *Run) bool { return r.Status().State.Ended() })
		if old == nil {
			return
		}
		t.remove(old)
	}
}

// settle counts the outputs of an ended run, again if they have grown since, and drops the outputs of earlier runs if
// necessary.
func (t *Table) settle(r *Run, size int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[r.ID] != r {
		r.dropLeftOut()
		return
	}
	if t.orphan[r] {
		t.remove(r)
		return
	}
	if _, again := t.sizes[r.ID]; !again {
		t.ended = append(t.ended, r)
	}
	t.bytes += size - t.sizes[r.ID]
	t.sizes[r.ID] = size
	for t.bytes > runBytesKept {
		old := greediest(t.ended, func(r *Run) int { return t.sizes[r.ID] }, func(*Run) bool { return true })
		t.drop(old)
		old.forget()
	}
}

// Leave drops an owner's runs; current ones when they have ended.
func (t *Table) Leave(owner string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range slices.Clone(t.order) {
		switch {
		case r.Owner != owner:
		case r.Status().State.Ended():
			t.remove(r)
		default:
			t.orphan[r] = true
		}
	}
}

// remove drops a run. t.mu is held.
func (t *Table) remove(r *Run) {
	t.order = slices.DeleteFunc(t.order, func(o *Run) bool { return o == r })
	delete(t.byID, r.ID)
	delete(t.orphan, r)
	t.drop(r)
	r.dropLeftOut()
}

// drop stops counting a run's outputs. t.mu is held.
func (t *Table) drop(r *Run) {
	t.bytes -= t.sizes[r.ID]
	delete(t.sizes, r.ID)
	t.ended = slices.DeleteFunc(t.ended, func(o *Run) bool { return o == r })
}

// greediest returns the first removable run of the owner with the greatest total weight, among owners with removable runs;
// nil if no run can be removed.
func greediest(runs []*Run, weight func(*Run) int, can func(*Run) bool) *Run {
	sums, first := map[string]int{}, map[string]*Run{}
	var most *Run
	for _, r := range runs {
		sums[r.Owner] += weight(r)
		if first[r.Owner] == nil && can(r) {
			first[r.Owner] = r
		}
	}
	for owner, r := range first {
		if r != nil && (most == nil || sums[owner] > sums[most.Owner] || sums[owner] == sums[most.Owner] && owner < most.Owner) {
			most = r
		}
	}
	return most
}

// Run returns the run with an id.
func (t *Table) Run(id string) (*Run, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.byID[id]
	return r, ok
}

// Left returns the record of a run that was left and can be taken up when its notebook is opened.
func (t *Table) Left(ctx context.Context, id string) (Record, bool) {
	r, ok, err := t.cfg.Ledger.Find(ctx, id)
	return r, ok && err == nil
}

// Runs lists the runs of one notebook, or all for the root path, latest first.
func (t *Table) Runs(path jupyter.Path) []*Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*Run
	for _, r := range slices.Backward(t.order) {
		if path.IsRoot() || r.Path == path {
			out = append(out, r)
		}
	}
	return out
}

// Bytes returns the size of the outputs of ended runs.
func (t *Table) Bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}
