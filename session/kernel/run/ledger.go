package run

import (
	"context"
	"slices"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/textfmt"
)

// A Record has the data to take up a notebook's run after the process that began it has ended.
type Record struct {
	Run    string       // its id
	Number int          // in the id
	File   string       // the notebook's file id, which survives a rename
	Path   jupyter.Path // of the notebook
	Cell   string
	Owner  string
	Client uint64 // of the replica that marked the cell as running
	Mark   kernel.Mark
}

// Sent reports whether the run's code was sent to the kernel.
func (r Record) Sent() bool { return r.Mark.Request != "" }

// A Ledger keeps the records of current runs, if possible beyond the end of the process. It is safe for concurrent use.
type Ledger interface {
	// Keep writes records, replacing earlier ones of the same runs.
	Keep(ctx context.Context, records ...Record) error
	// Drop removes the records of runs that have ended.
	Drop(ctx context.Context, runs ...string) error
	// Leave gives up runs that continue without us: from then on any process may take them up.
	Leave(ctx context.Context, runs ...string) error
	// Take removes and returns the records of a notebook's runs that were left or whose process died.
	Take(ctx context.Context, file string) ([]Record, error)
	// Find returns the record of a run that could be taken up.
	Find(ctx context.Context, run string) (Record, bool, error)
	// Last returns the highest number of a kept run, 0 for none.
	Last(ctx context.Context) (int, error)
}

// memoryKept is how many records a memoryLedger keeps, in addition to those of current runs.
const memoryKept = 1000

// memoryLedger is a Ledger that ends with the process. It serves documents that were closed and are opened again.
type memoryLedger struct {
	mu   sync.Mutex
	runs map[string]*kept
}

type kept struct {
	Record
	left bool
}

// NewMemory returns a Ledger that ends with the process.
func NewMemory() Ledger { return &memoryLedger{runs: make(map[string]*kept)} }

func (l *memoryLedger) Keep(_ context.Context, records ...Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range records {
		l.runs[r.Run] = &kept{Record: r}
	}
	for id, k := range l.runs {
		if len(l.runs) <= memoryKept {
			break
		}
		if k.left {
			delete(l.runs, id)
		}
	}
	return nil
}

func (l *memoryLedger) Drop(_ context.Context, runs ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range runs {
		delete(l.runs, id)
	}
	return nil
}

func (l *memoryLedger) Leave(_ context.Context, runs ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range runs {
		if k := l.runs[id]; k != nil {
			k.left = true
		}
	}
	return nil
}

func (l *memoryLedger) Take(_ context.Context, file string) ([]Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Record
	for id, k := range l.runs {
		if k.left && k.File == file {
			out = append(out, k.Record)
			delete(l.runs, id)
		}
	}
	slices.SortFunc(out, func(a, b Record) int { return a.Number - b.Number })
	return out, nil
}

func (l *memoryLedger) Find(_ context.Context, run string) (Record, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.runs[run]; k != nil && k.left {
		return k.Record, true, nil
	}
	return Record{}, false, nil
}

func (l *memoryLedger) Last(context.Context) (int, error) { return 0, nil }

// ErrLeft is the error of a run whose notebook was closed while its code ran.
var ErrLeft = textfmt.Fixed("the session of its notebook was ended: the code keeps running in the kernel, and the run resumes when the notebook is reopened")

// marked records the ids under which a run's code is sent to the kernel.
func (r *Run) marked(m kernel.Mark) {
	if r.record == nil {
		return
	}
	r.record.Mark = m
	rec := *r.record
	r.table.ledger("keep", func(ctx context.Context, l Ledger) error { return l.Keep(ctx, rec) })
}

// unkeep finishes the record of a run that ends here: if left, another process may take the run up; else the record is
// dropped.
func (r *Run) unkeep(left bool) {
	if r.record == nil {
		return
	}
	r.table.ledger("end", func(ctx context.Context, l Ledger) error {
		if left {
			return l.Leave(ctx, r.ID)
		}
		return l.Drop(ctx, r.ID)
	})
}
