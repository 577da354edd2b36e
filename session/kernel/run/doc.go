// Package run executes code: it has the runs, the table that keeps them, the queues in which they wait, and the ways to
// execute them.
//
// A [Run] is one execution of one cell, or of code in a kernel without a notebook. It belongs to its queue, not to the
// call that asked for it. [Cells] is the queue of a notebook, whose cells run in one of two ways, each a [Runner] in its
// own file: over a connection to the kernel (kernel.go), or by jupyter-server-documents (jsd.go). [Alone] is the queue of a kernel without a notebook.
//
// # Concurrency
//
// Everything is safe for concurrent use. A queue owns one goroutine, which executes its runs one after the other, and
// those that interrupt a cancelled run late. A run that asks for input has one goroutine for each question, and its
// Runner waits for them. [Queue.Close] waits for all of them after the queue's context has ended. The table starts
// none.
package run
