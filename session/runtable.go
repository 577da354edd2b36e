package session

import (
	"fmt"
	"slices"
	"sync"
)

const (
	// runsKept is how many runs are remembered, those that go on included.
	runsKept = 512
	// runBytesKept bounds the outputs of the ended ones among them.
	runBytesKept = 64 << 20
)

// runTable finds runs by id. It never forgets one that has not ended. Where
// there are too many, it is the owner that has most who is to lose one.
type runTable struct {
	mu     sync.Mutex
	next   int
	byID   map[string]*Run
	order  []*Run         // oldest first
	sizes  map[string]int // of the outputs of ended runs
	bytes  int            // the sum of sizes
	ended  []*Run         // those in sizes, first ended first
	orphan map[*Run]bool  // that go on, of owners who have left
}

// add names a run and remembers it. The oldest that has ended is forgotten
// when there are too many.
func (t *runTable) add(r *Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID, t.sizes, t.orphan = make(map[string]*Run), make(map[string]int), make(map[*Run]bool)
	}
	t.next++
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

// settle counts the outputs of a run that has ended, and lets go of those of
// the runs that ended first where they are too many.
func (t *runTable) settle(r *Run, size int) {
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

// leave forgets the runs of an owner: those that go on when they have ended.
func (t *runTable) leave(owner string) {
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
func (t *runTable) remove(r *Run) {
	t.order = slices.DeleteFunc(t.order, func(o *Run) bool { return o == r })
	delete(t.byID, r.ID)
	delete(t.orphan, r)
	t.drop(r)
	r.dropLeftOut()
}

// drop counts a run's outputs no longer. t.mu is held.
func (t *runTable) drop(r *Run) {
	t.bytes -= t.sizes[r.ID]
	delete(t.sizes, r.ID)
	if i := slices.Index(t.ended, r); i >= 0 {
		t.ended = slices.Delete(t.ended, i, i+1)
	}
}

// greediest gives the first run that can go of the owner whose runs weigh most
// together, among those that have one; nil where none can.
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
func (m *Manager) Run(id string) (*Run, bool) {
	m.runs.mu.Lock()
	defer m.runs.mu.Unlock()
	r, ok := m.runs.byID[id]
	return r, ok
}

// Runs lists the runs that are remembered, the latest first: those of one
// notebook, or of all where path is "".
func (m *Manager) Runs(path string) []*Run {
	m.runs.mu.Lock()
	defer m.runs.mu.Unlock()
	var out []*Run
	for _, r := range slices.Backward(m.runs.order) {
		if path == "" || r.Path == path {
			out = append(out, r)
		}
	}
	return out
}
