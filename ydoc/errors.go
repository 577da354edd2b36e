package ydoc

import (
	"fmt"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
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
var ErrNotFound = wire.Fixed("no such cell")

// ErrTooLarge says that a limit of [Limits] would be passed.
var ErrTooLarge = wire.Fixed("too large")

// ErrRevisionGone says that the revision which a change was based on is not remembered any more, or is none of this
// document. Read the cell again and repeat the change on what it says now.
var ErrRevisionGone = wire.Fixed("revision is not remembered")

// ErrClosed says that a subscription was closed.
var ErrClosed = wire.Fixed("subscription is closed")

// ConflictError says that a change could not be carried over onto what the text has become: somebody else changed the
// same place meanwhile. Nothing was written, or it was taken back.
type ConflictError struct {
	// ID is the cell, empty for a text document.
	ID string
	// Theirs and Mine are the changes from the base text, to what it is now and to what was to be written, as short unified
	// diffs.
	Theirs, Mine string
	// Detail says where the changes meet.
	Detail string
	// TakenBack is true for a change that was written while somebody else's was under way, and was taken back.
	TakenBack bool
	cause     error
}

func (e *ConflictError) Error() string {
	what := "the text"
	if e.ID != "" {
		what = fmt.Sprintf("the source of cell %q", e.ID)
	}
	if e.TakenBack {
		return fmt.Sprintf("%s was changed by somebody else at the same time: %s; your change was taken back: read it again, then make the change on what it says now", what, e.Detail)
	}
	return fmt.Sprintf("%s was changed by somebody else: %s; read it again, then make the change on what it says now", what, e.Detail)
}

func (e *ConflictError) Unwrap() error { return e.cause }

// LockedError says that a cell's metadata forbid a change of it, as nbgrader's do.
type LockedError struct {
	ID    string
	Index int
	// Key is the member of the metadata that is false: [KeyEditable] or [KeyDeletable].
	Key string
}

// The members of a cell's metadata that lock it where they are false (nbformat).
const (
	KeyEditable  = "editable"
	KeyDeletable = "deletable"
)

// Locks reports whether the value of [KeyEditable] or [KeyDeletable] locks a cell.
func Locks(value any) bool {
	allowed, ok := value.(bool)
	return ok && !allowed
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("cell %d (id %q) is locked, its metadata say %q: false: nothing was changed; leave it as it is, or ask the user to unlock it in JupyterLab (Property Inspector, Common Tools)", e.Index, e.ID, e.Key)
}

func tooLargef(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrTooLarge}, args...)...)
}
