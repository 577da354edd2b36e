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
