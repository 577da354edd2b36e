// Package run executes code: it has the runs, the table that keeps them, their queues, and the ways to execute them.
//
// A [Run] is one execution of one cell, or of code in a kernel without a notebook. It belongs to its queue, not to the call
// that started it. [Cells] is a notebook's queue, whose cells run in one of two ways, each a [Runner] in its own file: over
// a connection to the kernel (kernel.go), or by jupyter-server-documents (jsd.go). [Alone] is the queue of a kernel without
// a notebook.
//
// # Concurrency
//
// Everything is safe for concurrent use. A queue owns one goroutine that executes its runs in order, and goroutines that
// interrupt cancelled runs late. A run that requests input has one goroutine for each question, and its Runner waits for
// them. [Queue.Close] waits for all of them after the queue's context has ended. The table starts no goroutines.
package run
