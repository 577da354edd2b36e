package run

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/output"
)

const (
	// runsKept is how many runs are remembered, those that go on included.
	runsKept = 512
	// runBytesKept bounds the outputs of the ended ones among them.
	runBytesKept = 64 << 20
)

// TableConfig says what all runs of a table share.
type TableConfig struct {
	// InputTimeout is how long a person is waited for whose input code asks for; 0 for DefaultInputTimeout.
	InputTimeout time.Duration
	// Tell is called when a run has begun or ended, with locks held; nil tells nobody.
	Tell func(*Run)
	Log  *slog.Logger
}

// Table finds runs by id. It never forgets one that has not ended. Where there are too many, it is the owner that has
// most who is to lose one.
type Table struct {
	cfg    TableConfig
	spools output.Spools // of the runs

	mu     sync.Mutex
	next   int
	byID   map[string]*Run
	order  []*Run         // oldest first
	sizes  map[string]int // of the outputs of ended runs
	bytes  int            // the sum of sizes
	ended  []*Run         // those in sizes, first ended first
	orphan map[*Run]bool  // that go on, of owners who have left
	groups uint64
}

// NewTable makes an empty table.
func NewTable(cfg TableConfig) *Table {
	if cfg.InputTimeout <= 0 {
		cfg.InputTimeout = DefaultInputTimeout
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Table{
		cfg: cfg, byID: make(map[string]*Run), sizes: make(map[string]int), orphan: make(map[*Run]bool),
	}
}

// Close lets go of what runs have in files.
func (t *Table) Close() { t.spools.Close() }

// tell tells that a run has begun or ended.
func (t *Table) tell(r *Run) {
	if t.cfg.Tell != nil {
		t.cfg.Tell(r)
	}
}

// newGroup names what one call asks to be run.
func (t *Table) newGroup() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups++
	return t.groups
}

// add names a new run, which waits, and remembers it. The oldest that has ended is forgotten when there are too many.
func (t *Table) add(r *Run, opt Options) {
	r.ask, r.Session, r.Owner, r.done, r.res.State = opt.Ask, opt.Session, opt.Owner, make(chan struct{}), Queued
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	r.table = t
	r.ID = fmt.Sprintf("run-%d", t.next)
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

// settle counts the outputs of a run that has ended, and lets go of those of the runs that ended first where they are
// too many.
func (t *Table) settle(r *Run, size int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[r.ID] != r {
		return
	}
	if t.orphan[r] {
		t.remove(r)
		return
	}
	t.sizes[r.ID] = size
	t.bytes += size
	t.ended = append(t.ended, r)
	for t.bytes > runBytesKept {
		old := greediest(t.ended, func(r *Run) int { return t.sizes[r.ID] }, func(*Run) bool { return true })
		t.drop(old)
		old.forget()
	}
}

// Leave forgets the runs of an owner: those that go on when they have ended.
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

// remove forgets a run. t.mu is held.
func (t *Table) remove(r *Run) {
	t.order = slices.DeleteFunc(t.order, func(o *Run) bool { return o == r })
	delete(t.byID, r.ID)
	delete(t.orphan, r)
	t.drop(r)
	r.dropLeftOut()
}

// drop counts a run's outputs no longer. t.mu is held.
func (t *Table) drop(r *Run) {
	t.bytes -= t.sizes[r.ID]
	delete(t.sizes, r.ID)
	if i := slices.Index(t.ended, r); i >= 0 {
		t.ended = slices.Delete(t.ended, i, i+1)
	}
}

// greediest gives the first run that can go of the owner whose runs weigh most together, among those that have one; nil
// where none can.
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

// Run finds a run by its id, as long as it is remembered.
func (t *Table) Run(id string) (*Run, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.byID[id]
	return r, ok
}

// Runs lists the runs that are remembered, the latest first: those of one notebook, or of all where path is "".
func (t *Table) Runs(path string) []*Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*Run
	for _, r := range slices.Backward(t.order) {
		if path == "" || r.Path == path {
			out = append(out, r)
		}
	}
	return out
}

// Bytes is what the outputs of ended runs take.
func (t *Table) Bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}
