package run

import (
	"errors"
	"slices"
	"sync"

	"github.com/nbduet/nbduet/ydoc"
)

// A server that is restarted may know the marks of running cells and not how the runs ended: the last write of a run goes
// down with the room's former session. When the room is joined afresh, the cells that we have marked, and that nothing of
// ours runs any more, get what their last run has put out, and its end.

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

// unmark notes that the cells of runs bear their end, or what we could do about it.
func (m *marks) unmark(runs ...*Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range runs {
		if m.running[r.CellID]--; m.running[r.CellID] <= 0 {
			delete(m.running, r.CellID)
		}
	}
}

// stale gives the cells that are marked as running by us, and whose runs have ended, with their latest run.
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

// ended notes that runs have ended, and that this was written into a replica.
func (c *Cells) ended(into *ydoc.Notebook, runs ...*Run) {
	c.marks.unmark(runs...)
	if c.nb.Notebook() != into {
		c.Mend() // whoever has joined the next one saw them running
	}
}

// Mend writes the end of runs that the room, which was joined afresh, does not know. The caller is the one who has joined
// it.
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
