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

// runTable finds runs by id. It never forgets one that has not ended.
type runTable struct {
	mu    sync.Mutex
	next  int
	byID  map[string]*Run
	order []*Run         // oldest first
	sizes map[string]int // of the outputs of ended runs
	bytes int            // the sum of sizes
	ended []*Run         // those in sizes, first ended first
}

// add names a run and remembers it. The oldest that has ended is forgotten
// when there are too many.
func (t *runTable) add(r *Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID, t.sizes = make(map[string]*Run), make(map[string]int)
	}
	t.next++
	r.ID = fmt.Sprintf("run-%d", t.next)
	t.byID[r.ID] = r
	t.order = append(t.order, r)
	for len(t.order) > runsKept {
		i := slices.IndexFunc(t.order, func(r *Run) bool { return r.Status().State.Ended() })
		if i < 0 {
			return
		}
		old := t.order[i]
		t.order = slices.Delete(t.order, i, i+1)
		delete(t.byID, old.ID)
		t.drop(old)
		old.dropLeftOut()
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
	t.sizes[r.ID] = size
	t.bytes += size
	t.ended = append(t.ended, r)
	for t.bytes > runBytesKept {
		old := t.ended[0]
		t.drop(old)
		old.forget()
	}
}

// drop counts a run's outputs no longer. t.mu is held.
func (t *runTable) drop(r *Run) {
	t.bytes -= t.sizes[r.ID]
	delete(t.sizes, r.ID)
	if i := slices.Index(t.ended, r); i >= 0 {
		t.ended = slices.Delete(t.ended, i, i+1)
	}
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
