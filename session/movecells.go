package session

import (
	"context"

	"github.com/nbduet/nbduet/ydoc"
)

// MoveCells moves cells, all or none, so that they follow each other in the given order. after names the cell that they
// then follow, "" for none, in the notebook as it is then; it is none of them. Where somebody is typing in one of them, or
// one has changed since its base, it is as with [Document.Move].
func (d *Document) MoveCells(ctx context.Context, client string, cells []Target, after func(*ydoc.Editor) string, force bool) error {
	ids := targetIDs(cells)
	if err := d.undisturbed(ctx, force, ids...); err != nil {
		return err
	}
	if err := d.Edit(ctx, "move cells", func(e *ydoc.Editor) error {
		var no refusals
		for _, c := range cells {
			if err := no.add((reader{d, client}).mayMove(e, c.Cell, c.Base, force)); err != nil {
				return err
			}
			if no.full() {
				break
			}
		}
		if err := no.err(); err != nil {
			return err
		}
		before := after(e)
		for _, id := range ids {
			to := 0
			if at, ok := e.Index(before); ok {
				to = at + 1
				if own, ok := e.Index(id); ok && own < to {
					to-- // the others close up when it goes
				}
			}
			if err := e.Move(id, to); err != nil {
				return err
			}
			before = id
		}
		return nil
	}); err != nil {
		return err
	}
	d.Rearranged(client, ids...)
	return nil
}
