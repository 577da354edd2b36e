package ydoc

import (
	"fmt"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// ErrBroken means that a document is unusable: the library failed inside it, or it was found inconsistent or too
// large. It can no longer be read or written. Discard it and join the room again.
var ErrBroken = crdt.ErrBroken

// ErrPending means that an update, or a part of it, depends on a change missing in this replica. It is held, within
// limits, until the change arrives; meanwhile the document is not synchronised. Ask the peer for its state again.
var ErrPending = crdt.ErrPending

// ErrInvalid means that an edit is invalid: a bad index, type, text or value.
var ErrInvalid = crdt.ErrInvalid

// ErrNotFound means that no cell has the id or index.
var ErrNotFound = wire.Fixed("no such cell")

// ErrTooLarge means that an edit would exceed a limit of [Limits].
var ErrTooLarge = wire.Fixed("too large")

// ErrRevisionGone means that the base revision of a change is no longer remembered or belongs to another document.
// Read the cell again and repeat the change on its current text.
var ErrRevisionGone = wire.Fixed("revision is not remembered")

// ErrClosed means that a subscription was closed.
var ErrClosed = wire.Fixed("subscription is closed")

// ConflictError means that a change could not be merged into the current text because another client changed the same
// place. Nothing was written, or the change was undone.
type ConflictError struct {
	// ID is the cell, empty for a text document.
	ID string
	// Theirs and Mine are the changes from the base text to the current and to the wanted text, as short unified
	// diffs.
	Theirs, Mine string
	// Detail says where the changes meet.
	Detail string
	// TakenBack is true if the change was written while another client's was under way, and was undone.
	TakenBack bool
	cause     error
}

func (e *ConflictError) Error() string {
	what := "the text"
	if e.ID != "" {
		what = fmt.Sprintf("the source of cell %q", e.ID)
	}
	if e.TakenBack {
		return fmt.Sprintf("%s was changed by someone else at the same time: %s; your change was undone: read it again, then change the current text", what, e.Detail)
	}
	return fmt.Sprintf("%s was changed by someone else: %s; read it again, then change the current text", what, e.Detail)
}

func (e *ConflictError) Unwrap() error { return e.cause }

// LockedError means that a cell's metadata forbids the change, as nbgrader's does.
type LockedError struct {
	ID    string
	Index int
	// Key is the metadata key that is false: [KeyEditable] or [KeyDeletable].
	Key string
}

// The metadata keys that lock a cell when they are false (nbformat).
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
