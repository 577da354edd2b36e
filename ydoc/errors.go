package ydoc

import (
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// ErrBroken is the end of a document: the library failed inside it, or it was found inconsistent or too large. Nothing
// can be read or written any more. Throw it away and join the room afresh.
var ErrBroken = crdt.ErrBroken

// ErrPending says that an update, or a part of it, builds on something that this replica has not got. It is held back,
// bounded, until that arrives; meanwhile the document counts as not synchronised. Ask the peer for its state again.
var ErrPending = crdt.ErrPending

// ErrInvalid says that what was to be written cannot be: a bad index, type, text or value.
var ErrInvalid = crdt.ErrInvalid

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
