// Package analysis is sessions with a kernel: an owner works with a [Session] by its id, and with the session's notebook
// if it has one. Code in a notebook's session is run in cells by the document; a kernel alone has a queue of its own,
// with the same kind of runs.
//
// # Concurrency
//
// Everything here is safe for use by any goroutine. A Session without a notebook owns the goroutine of its queue, for
// whose end [Table.Delete] and [Table.Close] wait; the session's manager calls Close before it closes itself.
package analysis
