package session

import (
	"context"

	"github.com/nbduet/nbduet/ydoc"
)

// MoveCells moves cells, all or none, so that they follow each other in the given order. after names the cell that they
// then follow, "" for none, in the notebook as it is then; it is none of them. Where somebody is typing in one of them it is
// as with [Document.Move].
func (d *Document) MoveCells(ctx context.Context, client string, cells []string, after func(*ydoc.Editor) string, force bool) error {
	if err := d.undisturbed(ctx, force, cells...); err != nil {
		return err
	}
	if err := d.Edit(ctx, "move cells", func(e *ydoc.Editor) error {
		before := after(e)
		for _, id := range cells {
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
	d.Rearranged(client, cells...)
	return nil
}
