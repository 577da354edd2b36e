package run

import (
	"context"
	"slices"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// A cell may show as running although no client runs it, because its client was killed. The mark would stay, in all tabs,
// until the cell is run again. So when a notebook is opened, such cells become idle. The kernel decides: while it runs
// code, or a client that set the mark is in the room, the marks stay.

const (
	// strayEvery is the pause between two checks of such cells.
	strayEvery = 2 * time.Second
	// strayLooks is how many idle checks in a row are needed. All clients in the room are known after 15 s.
	strayLooks = 10
)

const noteStray = "[this cell is no longer running: its client is gone, and the kernel is idle]\n"

// A stray is a cell that may be marked as running by a client that has left.
type stray struct {
	cell     string
	by       uint64 // the client that set the mark
	revision ydoc.Revision
}

// tidyStrays clears the busy mark of cells that were marked when the notebook was opened, and that no client runs.
func (c *Cells) tidyStrays() {
	quiet := 0
	suspects := c.strays()
	if len(suspects) > 0 && c.nb.Servers().Apart() {
		return // people's kernels are not visible
	}
	for len(suspects) > 0 {
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(strayEvery):
		}
		now, others := c.strays(), c.nb.Others()
		suspects = slices.DeleteFunc(suspects, func(s stray) bool {
			return !slices.Contains(now, s) || slices.Contains(others, s.by)
		})
		if quiet++; !c.restful() {
			quiet = 0
		}
		if quiet == strayLooks {
			c.tidy(suspects)
			return
		}
	}
}

// strays lists the cells that other clients have marked as running.
func (c *Cells) strays() []stray {
	nb := c.nb.Notebook()
	var all []stray
	for _, cell := range nb.Cells() {
		if cell.Type != ydoc.Code || cell.ExecutionState != ydoc.Running {
			continue
		}
		if by, ok := nb.StateBy(cell.ID); ok && by != nb.ClientID() {
			all = append(all, stray{cell.ID, by, cell.Revision})
		}
	}
	return all
}

// restful reports whether the notebook's kernel is idle.
func (c *Cells) restful() bool {
	ctx, stop := context.WithTimeout(c.ctx, writeTimeout)
	defer stop()
	_, state, err := c.nb.KernelState(ctx)
	return err == nil && (state == "" || state == kernel.StateIdle || state == kernel.StateDead)
}

// tidy clears the busy mark of cells, with a note.
func (c *Cells) tidy(cells []stray) {
	if len(cells) == 0 {
		return
	}
	ctx, stop := c.late(nil)
	defer stop()
	ids := lo.Map(cells, func(s stray, _ int) string { return s.cell })
	if err := c.nb.Edit(ctx, "run", func(e *ydoc.Editor) error { return idleWith(e, ids, noteStray, func(ydoc.Cell) bool { return true }) }); err != nil {
		c.table.cfg.Log.Warn("cells that no longer run still show as busy", "path", c.nb.Path(), "error", err)
	}
}
