package desk

import (
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
)

// EditError adds to the error of a refused edit what the caller must know.
func EditError(err error) error {
	var conflict *ydoc.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	const most = 4000
	theirs, _ := words.Cut(conflict.Theirs, most)
	mine, _ := words.Cut(conflict.Mine, most)
	return fmt.Errorf("nothing was changed: %w\nTheir change:\n%s\nYour change:\n%s", err, theirs, mine)
}
