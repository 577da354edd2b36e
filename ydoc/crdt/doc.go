// Package crdt implements a replica of a shared Yjs document: it applies updates from peers and encodes updates for
// them. It has maps, lists and texts, but does not interpret them; package ydoc makes notebooks of them. It is the
// only package of this module that imports the CRDT library, github.com/skyterra/y-crdt.
//
// A [Replica] has root types, declared by [Replica.Root]. A [Type] is read by its own methods, and written by those
// of a [Tx] within [Replica.Transact]. [Replica.Record] is Transact for edits that can be undone: it returns a [Step]
// for [Replica.Revert]. Readers of the document get a [Change] for every transaction.
//
// # What the library does
//
// Its core agrees with Yjs and yrs in hundreds of thousands of random programs, so it is used for the following:
//
//   - It stores the structs of each client in the order of their clocks, finds the struct that holds a clock, and
//     keeps the state of each client.
//   - It integrates the structs of an update in dependency order, and reports missing ones.
//   - It links an item between its neighbours, makes it the value of its map key, keeps the lengths of lists, deletes,
//     splits and merges items.
//   - It runs transactions: the states before and after, the deletions, the changed types.
//
// # What is done here, and why
//
// The library's interface is not safe: it trusts its input, loses some values, prints faults to stdout, and shares a
// variable between all documents. So it gets only checked input, and this package replaces the following parts:
//
//   - Checking and decoding. Package wire checks every update and state vector to its last byte; decode.go then decodes
//     it without the library, which could be made to loop for hours or to allocate without bound.
//   - Contents and shared types (content.go, type.go). They keep strings and values as encoded, where the library
//     recodes a whole text whenever it measures or splits it, and they have none of its side effects. So documents
//     share no variable, and one mutex per document is enough.
//   - The place of an item among concurrent ones (integrate.go). It is Yjs' algorithm, as in the library, but
//     counted: an update designed to take quadratic time breaks the document instead of stalling the process.
//   - Updates that come too early (apply.go). They are held here, because the library loses their deletions.
//   - Encoding (encode.go), byte for byte as Yjs does.
//   - Deletion and collection of the content of deleted types (collect.go), which the library never frees.
//   - Reading and writing (read.go, tx.go, position.go, absorb.go). The library's methods lose values, panic at
//     bounds and take time quadratic in the length of a text. Ours cache positions and characters between edits.
//   - Undo (step.go, revert.go), positions that follow the text (relpos.go), and change events (change.go). The
//     library's undo stack never shrinks, its positions match nothing once decoded, and its deep events come once for
//     each ancestor.
//   - Carrying over others' edits of a text made before they received its copy (late.go), also if a state answer
//     overtook them (overtaken.go), and our own edits of a moved text that the server dropped (orphan.go). Of two
//     copies that two replicas made at once, one is removed (rival.go); see MOVES.md.
//   - The guard around every call (guard.go). A panic, or a fault that the library would only print, breaks the
//     document for good ([ErrBroken]), because its state is then unknown. It must be joined again.
//
// # Concurrency
//
// Each replica has one mutex. [Replica.Apply], [Replica.ApplyState], [Replica.ApplyVia], [Replica.Clock],
// [Replica.Diff], [Replica.StateVector], [Replica.OnUpdate], [Replica.Bloat], [Replica.Held], [Replica.Err],
// [Replica.Do] and [Replica.Read] take it, and may be called from any goroutine. All other methods, including those
// of Type and Tx, expect it to be held: call them within a function passed to Do or Read. Functions that a replica
// calls (Options.Changed, Options.Broken, the one passed to OnUpdate) run with the mutex held, and must not call
// methods that take it. The package starts no goroutines.
//
// Values returned by reads are shared between readers and must not be changed.
package crdt
