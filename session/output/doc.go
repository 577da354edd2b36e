// Package output is what a run has put out: it takes in the kernel's events, folds and bounds the text, keeps what is too
// much for a cell in temporary files, and writes the rest into the cell while the run goes on.
//
// A [Writer] writes to a cell, a [Keeper] only keeps; both are a [Sink], which tells at any time what there is so far.
//
// # Concurrency
//
// Everything exported is safe for use by any goroutine. A Writer owns one goroutine, which writes; [Writer.Finish] waits
// for its end. [Spools] has one lock for the files of all runs, under which nothing slower is done than a write to the
// system's file cache.
package output
