package readset

import (
	"context"

	"github.com/nbduet/nbduet/ydoc"
)

// Move moves a cell to the index that to returns for the notebook at that time. If the cell has changed since its base, it
// fails with an [*OutdatedError], unless force is set.
func (r Reader) Move(ctx context.Context, cell Target, to func(*ydoc.Editor) (int, error), force bool) error {
	return r.rearrange(ctx, "move cell", []string{cell.Cell}, func(e *ydoc.Editor) error {
		if err := r.mayMove(e, cell.Cell, cell.Base, force); err != nil {
			return err
		}
		at, err := to(e)
		if err != nil {
			return err
		}
		return e.Move(cell.Cell, at)
	})
}

// MoveCells moves cells, all or none, so that they follow each other in the given order. after returns the cell that they
// then follow, "" for none, in the notebook at that time; it is not one of the cells. If one has changed since its base, the
// result is that of [Reader.Move].
func (r Reader) MoveCells(ctx context.Context, cells []Target, after func(*ydoc.Editor) string, force bool) error {
	ids := CellsOf(cells)
	return r.rearrange(ctx, "move cells", ids, func(e *ydoc.Editor) error {
		if err := refusedOf(cells, func(c Target) error { return r.mayMove(e, c.Cell, c.Base, force) }); err != nil {
			return err
		}
		return follow(e, ids, after(e))
	})
}

// follow moves cells so that they follow each other, after a cell that is not one of them; "" for none.
func follow(e *ydoc.Editor, ids []string, before string) error {
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
}
