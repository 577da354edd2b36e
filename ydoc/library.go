package ydoc

import (
	"fmt"

	crdt "github.com/skyterra/y-crdt"
)

// The library reports faults by printing to stdout through two variables. stdout is not ours to write to, and a fault
// that is only printed leaves a document that silently lacks something, so both become a panic, which the guard around
// every call turns into [ErrBroken]. They are set before any document can exist and never again.
func init() {
	crdt.Logf = func(format string, a ...interface{}) { panic(libraryFault(fmt.Sprintf(format, a...))) }
	crdt.Log = func(a ...interface{}) { panic(libraryFault(fmt.Sprint(a...))) }
}

// libraryFault is a fault that the library noticed itself.
type libraryFault string

func (f libraryFault) Error() string { return "y-crdt: " + string(f) }

// Content references of items (Yjs, src/structs).
const (
	refDeleted = 1
	refJSON    = 2
	refBinary  = 3
	refString  = 4
	refEmbed   = 5
	refFormat  = 6
	refType    = 7
	refAny     = 8
	refDoc     = 9
	refSkip    = 10
)

// Flags of the first byte of an encoded item.
const (
	flagParentSub   = 0x20
	flagRightOrigin = 0x40
	flagOrigin      = 0x80
)

// Flags of a [crdt.Item].
const (
	// itemCountable: the content counts towards the length of its parent.
	itemCountable = 2
	// itemDeletedHere is ours, the library leaves it alone: an edit, undo or redo of this replica deleted the item.
	itemDeletedHere = 16
)
