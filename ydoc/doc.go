// Package ydoc holds the shared documents that people and agents write together: notebooks and plain texts, each a
// replica of a Yjs document in a jupyter-collaboration room. It knows no socket: [Doc.Apply] takes what peers sent,
// [Doc.OnUpdate] hands out what is to be sent to them.
//
// A [Notebook] or a [Text] is what a document is read as and written through. Reads are snapshots of plain Go values,
// kept until what they show changes. Writes go through [Notebook.Edit] and [Text.Edit]: everything is checked before
// anything is written, and everything is written in one transaction. Each cell and each document has a [Revision], from
// which a change can be carried over onto what others have made of the text since ([Editor.Rewrite]). What became
// different is listed by [Notebook.ChangesSince] and told by a [Subscription]. An edit that is recorded can be taken
// back ([Doc.Revert]).
//
// The replica itself, and all that touches the CRDT library, is package ydoc/crdt; its documentation says what of the
// work is the library's and what is ours. What stands here is what a notebook is: the keys of cells and outputs and the
// shared types under them (node.go, tx.go), the order of cells, their revisions, and what undoing means for whole cells
// (revert.go). ydoc/wire has the bytes, ydoc/textdiff finds the smallest edits between two texts and merges them,
// ydoc/awareness keeps what peers say of themselves.
//
// # Concurrency
//
// Every method of [Doc], [Notebook], [Text] and [Subscription] may be called from any goroutine. Each document has one
// mutex, held for the time of a call. Functions that are given to Edit and OnUpdate run with it held and must not call
// the document's own methods; an [Editor] belongs to the call that made it. The package starts no goroutines.
//
// Values that are read (metadata, outputs, attachments) are shared between readers and must not be changed.
package ydoc
