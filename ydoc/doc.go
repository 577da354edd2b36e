// Package ydoc holds the shared documents that people and agents write together: notebooks and plain texts, each a
// replica of a Yjs document in a jupyter-collaboration room. It does no I/O: [Doc.Apply] takes updates from peers,
// [Doc.OnUpdate] passes on the updates to send to them.
//
// A [Notebook] or a [Text] is the reading and writing view of a document. Reads are snapshots of plain Go values,
// cached until the content changes. Writes go through [Notebook.Edit] and [Text.Edit]: everything is checked first,
// then written in one transaction. Each cell and each document has a [Revision]; a change based on an old revision
// can be merged into the current text ([Editor.Merge]). [Notebook.ChangesSince] and a [Subscription] report changes.
// A recorded edit can be undone ([Doc.Revert]).
//
// The replica, and all code that touches the CRDT library, is in package ydoc/crdt; its documentation says which
// parts are the library's and which are ours. This package defines what a notebook is: the keys of cells and outputs
// and their shared types (node.go, tx.go), the order of cells, their revisions, and undo for whole cells (revert.go).
// ydoc/wire implements the encoding, ydoc/textdiff finds the smallest edits between two texts and merges them,
// ydoc/awareness keeps the presence of peers.
//
// # Concurrency
//
// Every method of [Doc], [Notebook], [Text] and [Subscription] may be called from any goroutine. Each document has
// one mutex, held during a call. Functions passed to Edit and OnUpdate run with it held and must not call the
// document's methods; an [Editor] is valid only during the call that made it. The package starts no goroutines.
//
// Values returned by reads (metadata, outputs, attachments) are shared between readers and must not be changed.
package ydoc
