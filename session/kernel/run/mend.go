package run

import (
	"errors"
	"slices"
	"sync"

	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// A restarted server may have the marks of running cells but not how the runs ended: a run's last write is lost with the
// room's former session. When the room is rejoined, the cells that we marked, and that no run of ours executes any
// more, get their last run's remaining output and its end.

// marks are the cells that this program has marked as running since the notebook was opened.
type marks struct {
	mu      sync.Mutex
	clients []uint64          // ours, one for each replica in which cells were marked
	running map[string]int    // how many runs of a cell have not ended
	last    map[string]string // the id of each cell's latest run, which the table may have forgotten
}

// mark notes runs that begin or wait, in a replica.
func (m *marks) mark(client uint64, runs ...*Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil {
		m.running, m.last = make(map[string]int), make(map[string]string)
	}
	if !slices.Contains(m.clients, client) {
		m.clients = append(m.clients, client)
	}
	for _, r := range runs {
		m.running[r.CellID]++
		m.last[r.CellID] = r.ID
	}
}

// unmark notes that the cells of runs show their end, as far as possible.
func (m *marks) unmark(runs ...*Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range runs {
		if m.running[r.CellID]--; m.running[r.CellID] <= 0 {
			delete(m.running, r.CellID)
		}
	}
}

// stale returns the cells that we marked as running and whose runs have ended, with their latest run.
func (m *marks) stale(nb *ydoc.Notebook) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	runs := make(map[string]string)
	for id, r := range m.last {
		cell, ok := nb.Cell(id)
		if !ok || m.running[id] > 0 || cell.ExecutionState != ydoc.Running {
			continue
		}
		if by, ok := nb.StateBy(id); ok && slices.Contains(m.clients, by) {
			runs[id] = r
		}
	}
	return runs
}

// ended notes that runs have ended, and that their end was written into a replica.
func (c *Cells) ended(into *ydoc.Notebook, runs ...*Run) {
	c.marks.unmark(runs...)
	if c.nb.Notebook() != into {
		c.Mend() // clients of the next room saw the cells running
	}
}

// lateRuns are the ended runs of a notebook whose cells get late output, such as that of threads and asyncio tasks: the
// last run of each cell, within lateMost and lateBytes, the latest first. A cell's late output ends when the cell is run
// again, by this program or in a tab (it then shows as running, or has another count), when its outputs are cleared, when
// it is deleted, when the kernel is restarted or replaced (see [kernel.Request]), and when the notebook is closed. A tab
// writes the late output of its own runs. A run's late output counts for the bounds of its output, and is throttled like a
// running cell's: a thread that prints for ever fills neither the cell nor the memory.
type lateRuns struct {
	mu   sync.Mutex
	runs []lateRun // oldest first
}

type lateRun struct {
	*Run
	w *output.Writer
}

const (
	lateMost  = 256
	lateBytes = 64 << 20
)

// add starts late output for the cell of a run.
func (l *lateRuns) add(r *Run, w *output.Writer) {
	w.Late()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append(l.runs, lateRun{r, w})
	rest, bytes := len(l.runs), 0
	for rest > 0 && len(l.runs)-rest < lateMost && bytes <= lateBytes {
		rest--
		bytes += l.runs[rest].w.Bytes()
	}
	l.drop(func(i int, one lateRun) bool { return i < rest || one.w.Over() })
}

// end ends late output for a cell.
func (l *lateRuns) end(cell string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(func(_ int, one lateRun) bool { return one.CellID == cell })
}

// close ends late output for all runs.
func (l *lateRuns) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(func(int, lateRun) bool { return true })
}

// drop ends late output for some runs, which keep their output so far. l.mu is held.
func (l *lateRuns) drop(which func(at int, one lateRun) bool) {
	var rest []lateRun
	for i, one := range l.runs {
		if !which(i, one) {
			rest = append(rest, one)
			continue
		}
		one.w.Close()
		one.mu.Lock()
		one.Run.late = false
		freeze(one.Run)
		ended, size := one.res.State.Ended(), output.Size(one.res.Outputs)
		one.mu.Unlock()
		if ended {
			one.table.settle(one.Run, size)
		}
	}
	l.runs = rest
}

// Mend writes the end of runs that the freshly joined room lacks. The goroutine that joined the room calls it.
func (c *Cells) Mend() {
	runs := c.marks.stale(c.nb.Notebook())
	if len(runs) == 0 {
		return
	}
	ctx, stop := c.late(nil)
	defer stop()
	err := c.nb.Edit(ctx, "run", func(e *ydoc.Editor) error {
		for cell, id := range runs {
			if _, ok := e.Index(cell); !ok {
				continue
			}
			end := func() error { return Idle(e, []string{cell}) }
			if r, ok := c.table.Run(id); ok {
				if res := r.Result(); res.Begun {
					end = func() error { return errors.Join(e.SetOutputs(cell, res.Outputs), e.FinishRun(cell, res.Count)) }
				}
			}
			if err := end(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.table.cfg.Log.Warn("cells of ended runs still show as busy", "path", c.nb.Path(), "error", err)
	}
}
