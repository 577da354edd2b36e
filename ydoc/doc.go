// Package ydoc holds the shared documents that people and agents write together: notebooks and plain texts, each a
// replica of a Yjs document in a jupyter-collaboration room. It knows no socket: [Doc.Apply] takes what peers sent,
// [Doc.OnUpdate] hands out what is to be sent to them.
//
// [Notebook] and [Text] are what a document is read as and written through. Reads are snapshots of plain Go values, kept
// until what they show changes. Writes go through [Notebook.Edit] and [Text.Edit]: everything is checked before anything
// is written, and everything is written in one transaction. Each cell and each document has a [Revision].
//
// # On the CRDT library
//
// github.com/skyterra/y-crdt does the CRDT's own work: where an insertion ends up among concurrent ones, the store of
// structs, transactions, splitting and merging. Its core agrees with Yjs and yrs; its edges are not safe, and no other
// package of this module names it. What stands between it and the world here:
//
//   - Every update and state vector is checked completely (package wire) before it is decoded, and decoded by decode.go
//     into contents and shared types of our own (content.go, shared.go), which keep strings and plain values as they
//     were encoded and have none of the library's side effects. So two documents never touch a common variable, and one
//     mutex per document is all the locking there is.
//   - What an update may cost to integrate is counted and bounded (integrate.go).
//   - Every call is guarded: a panic breaks the document for good ([ErrBroken]), and so does what the library would only
//     print. A broken document is to be joined afresh.
//   - An update that builds on missing changes is held back here, not in the library, which loses deletions that way.
//   - What is inside deleted types is deleted and collected as in Yjs (collect.go).
//   - Lists and texts are searched, read and written by walks of our own with remembered positions (position.go,
//     build.go, absorb.go).
//   - Undo, relative positions and change events are our own (undo.go and revert.go, relpos.go, subscription.go).
//
// # Concurrency
//
// Every method of [Doc], [Notebook], [Text] and [Subscription] may be called from any goroutine. Each document has one
// mutex, held for the time of a call. Functions that are given to Edit and OnUpdate run with it held and must not call
// the document's own methods; an [Editor] belongs to the call that made it. The package starts no goroutines.
//
// Values that are read (metadata, outputs, attachments) are shared between readers and must not be changed;
// [Cell.Clone] copies.
package ydoc
