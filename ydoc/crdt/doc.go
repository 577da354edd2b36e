// Package crdt is one replica of a shared Yjs document: it applies what peers sent, and encodes what is to be sent to
// them. It knows maps, lists and texts, and nothing of what they mean; package ydoc makes notebooks of them. It is the
// only package of this module that names the CRDT library, github.com/skyterra/y-crdt.
//
// A [Replica] has root types, which [Replica.Root] declares. A [Type] is read by its own methods, and written to by
// those of a [Tx] within [Replica.Transact]. [Replica.Record] is Transact for what may be taken back: it returns a
// [Step], which [Replica.Revert] takes back. Readers of the document get a [Change] for every transaction.
//
// # What the library does
//
// Its core agrees with Yjs and yrs in hundreds of thousands of random programs, so this much of the work is its own:
//
//   - It stores the structs of each client in the order of their clocks, finds the one that holds a clock, and knows
//     the state of each client.
//   - It integrates the structs of an update in an order in which each comes after those that it builds on, and says
//     what is missing.
//   - It links an item between its neighbours, makes it the value of its map key, keeps the lengths of lists, deletes,
//     splits and merges items.
//   - It runs transactions: the states before and after, what was deleted, which types changed.
//
// # What is done here, and why
//
// The library's edges are not safe: it trusts what it decodes, loses some values, prints faults to stdout, and shares a
// variable between all documents. So nothing reaches it that was not checked, and these are our own:
//
//   - Checking and decoding. Package wire checks every update and state vector to its last byte; decode.go then decodes
//     it without the library, which could be made to loop for hours or to allocate without bound.
//   - Contents and shared types (content.go, type.go). They keep strings and values as they were encoded, where the
//     library recodes a whole text whenever it measures or splits it, and they have none of its side effects. So two
//     documents never touch a common variable, and one mutex for each document is all the locking there is.
//   - The place of an item among concurrent ones (integrate.go). It is Yjs' algorithm, as the library has it, but
//     counted: an update that was made to take quadratic time breaks the document instead of stopping the process.
//   - Updates that come too early (apply.go). They are held back here, because the library loses the deletions in them.
//   - Encoding (encode.go), byte for byte as Yjs does.
//   - Deletion and collection of what is inside deleted types (collect.go), which the library leaves behind for ever.
//   - Reading and writing (read.go, tx.go, position.go, absorb.go). The library's methods lose values, panic at bounds
//     and take time quadratic in the length of a text. Ours remember positions and characters between edits.
//   - Undo (step.go, revert.go), positions that follow the text (relpos.go), and telling of changes (change.go). The
//     library's stack of undo never shrinks, its positions match nothing once they were decoded, and its deep events
//     come once for each ancestor.
//   - Carrying over what others wrote into a text before they knew that it was copied elsewhere (late.go), also where
//     the answer to a question overtook it (overtaken.go), and what we wrote into one or deleted in it before we knew,
//     where the server dropped that (orphan.go). Of two copies that two replicas made at once one goes
//     (rival.go); see MOVES.md.
//   - The guard around every call (guard.go). A panic, and what the library would only print, breaks the document for
//     good ([ErrBroken]): nobody knows what such a document lacks. It is to be joined afresh.
//
// # Concurrency
//
// Each replica has one mutex. [Replica.Apply], [Replica.Diff], [Replica.StateVector], [Replica.OnUpdate],
// [Replica.Bloat], [Replica.Held], [Replica.Err], [Replica.Do] and [Replica.Read] take it, and may be called from any
// goroutine. All other methods, those of Type and Tx among them, expect it to be held: call them within a function that
// is given to Do or Read. Functions that a replica calls (Options.Changed, Options.Broken, what OnUpdate was given) run
// with the mutex held, and must not call methods that take it. The package starts no goroutines.
//
// Values that are read are shared between readers and must not be changed.
package crdt
