package ydoc

import (
	"errors"
	"fmt"
)

// ErrNotFound says that there is no cell of that id or index.
var ErrNotFound = errors.New("no such cell")

// ErrTooLarge says that a limit of [Limits] would be passed.
var ErrTooLarge = errors.New("too large")

// ErrRevisionGone says that the revision which a change was based on is not remembered any more, or is none of this
// document. Read the cell again and repeat the change on what it says now.
var ErrRevisionGone = errors.New("revision is not remembered")

func tooLargef(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrTooLarge}, args...)...)
}
