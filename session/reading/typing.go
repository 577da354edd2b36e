package reading

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// typedWithin is how long somebody counts as typing in a cell after their caret has moved there.
	typedWithin = 5 * time.Second
	// pause is how long they must rest until their cell may be moved or deleted, and pauseMax how long that is waited for.
	pause    = time.Second
	pauseMax = 3 * time.Second
	// pausePoll is how often it is looked whether they rest.
	pausePoll = 100 * time.Millisecond
)

// TypingError says that a cell was not moved or deleted because somebody is typing in it.
type TypingError struct {
	Who, Cell string // a person's name, and the cell's id
}

func (e *TypingError) Error() string {
	return fmt.Sprintf("nothing was changed: %s is typing in cell %q: try again when they have finished, or give force true", words.Quoted(e.Who), e.Cell)
}

// Move moves a cell to the place that to names in the notebook as it is then. Where somebody is typing in the cell it
// waits for a pause, because what they type into a cell that is moved can be lost, and then fails with a
// [*TypingError]; where the cell has changed since its base, with an [*OutdatedError]; unless force is set.
func (r Reader) Move(ctx context.Context, cell Target, to func(*ydoc.Editor) (int, error), force bool) error {
	if err := r.undisturbed(ctx, force, cell.Cell); err != nil {
		return err
	}
	if err := r.doc.Edit(ctx, "move cell", func(e *ydoc.Editor) error {
		if err := r.mayMove(e, cell.Cell, cell.Base, force); err != nil {
			return err
		}
		at, err := to(e)
		if err != nil {
			return err
		}
		return e.Move(cell.Cell, at)
	}); err != nil {
		return err
	}
	r.Rearranged(cell.Cell)
	return nil
}

// undisturbed waits until nobody types in the cells.
func (r Reader) undisturbed(ctx context.Context, force bool, cells ...string) error {
	start := time.Now()
	tick := time.NewTicker(pausePoll)
	defer tick.Stop()
	for !force {
		c, ok := r.typist(cells)
		switch {
		case !ok, time.Since(start) >= pause && time.Since(c.Moved) >= pause:
			return nil
		case time.Since(start) >= pauseMax:
			return &TypingError{c.Person, c.Cell}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait until %s stops typing: %w", c.Person, context.Cause(ctx))
		}
	}
	return nil
}

// typist is who has last typed in one of the cells, if somebody types there.
func (r Reader) typist(cells []string) (last Caret, ok bool) {
	for _, c := range r.doc.Carets() {
		if slices.Contains(cells, c.Cell) && time.Since(c.Moved) < typedWithin && c.Moved.After(last.Moved) {
			last, ok = c, true
		}
	}
	return last, ok
}
