// Package run is what is executed: runs, the table that remembers them, the queues that they wait in, and the ways in
// which they are carried out.
//
// A [Run] is one execution of one cell, or of code in a kernel alone. It belongs to its queue, not to the call that asked
// for it. [Cells] has the queue of a notebook, whose cells are run in one of three ways, each of them a [Runner] with a
// file of its own: over a connection to the kernel (kernel.go), by jupyter-server-nbmodel (nbmodel.go), or by
// jupyter-server-documents (documents.go). [Alone] has the queue of a kernel without a notebook.
//
// # Concurrency
//
// Everything here is safe for use by any goroutine. A queue owns one goroutine, which carries out its runs one after the
// other, and those that interrupt a cancelled run late; a run that asks for input has one for each question, which its
// way waits for. [Queue.Close] waits for all of them, once the context that the queue was made with has ended. The table
// starts none.
package run
