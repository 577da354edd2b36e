// Package undo keeps what each client of this program did to an open document, call by call, so that it can take it back
// and make it again.
//
// What one call did is one step. A step belongs to the client that made it, though all clients write through one
// replica, and can be taken back whatever others did since: what they did stays (see [ydoc.Doc.Revert]). Edits that no
// call makes are no steps, nor is what runs write.
//
// A [History] is of one replica, and ends with it: with the document's eviction, or where its room is joined afresh.
// Where the server puts the file's content in the document's place, it begins again. A [Keeper] bounds what all
// histories of a program keep.
//
// # Concurrency
//
// Every method may be called from any goroutine; the package starts none.
package undo
