// Package analysis has the analysis sessions: a [Session] has an id, an owner, a kernel, and optionally a notebook. With a
// notebook, the document runs the code in cells; without one, the session has its own queue of the same kind of runs.
//
// # Concurrency
//
// Everything is safe for concurrent use. A Session without a notebook owns the goroutine of its queue; [Table.Delete] and
// [Table.Close] wait for its end. The manager calls Close before it closes itself.
package analysis
