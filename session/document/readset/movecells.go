package readset

import (
	"context"

	"github.com/nbduet/nbduet/ydoc"
)

// MoveCells moves cells, all or none, so that they follow each other in the given order. after returns the cell that they
// then follow, "" for none, in the notebook at that time; it is not one of the cells. If one has changed since its base, the
// result is that of [Reader.Move].
func (r Reader) MoveCells(ctx context.Context, cells []Target, after func(*ydoc.Editor) string, force bool) error {
	ids := CellsOf(cells)
	return r.rearrange(ctx, "move cells", ids, func(e *ydoc.Editor) error {
		if err := refusedOf(cells, func(c Target) error { return r.mayMove(e, c.Cell, c.Base, force) }); err != nil {
			return err
		}
		before := after(e)
		for _, id := range ids {
			to := 0
			if at, ok := e.Index(before); ok {
				to = at + 1
				if own, ok := e.Index(id); ok && own < to {
					to-- // the others close up when it is removed
				}
			}
			if err := e.Move(id, to); err != nil {
				return err
			}
			before = id
		}
		return nil
	})
}
