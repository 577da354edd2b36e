// Package undo keeps the edits of each client of this program in an open document, call by call, so that the client can undo
// and redo them.
//
// The edits of one call are one step. A step belongs to the client that made it, although all clients write through one
// replica. It can be undone after later changes by others, which stay (see [ydoc.Doc.Revert]). Edits outside of calls and
// the outputs of runs are not steps.
//
// A [History] belongs to one replica, and ends with it: when the document is evicted, or its room is rejoined. It
// begins again if the server replaces the document with the file's content. A [Keeper] bounds the memory of all histories of
// a program.
//
// # Concurrency
//
// All methods are safe for concurrent use; the package starts no goroutines.
package undo
