// Package output handles the output of a run: it applies the kernel's events, folds and bounds the text, keeps the excess
// in temporary files, and writes the rest into the cell during the run.
//
// A [Writer] writes to a cell, a [Keeper] only keeps; both are a [Sink], which has the output so far at any time.
//
// # Concurrency
//
// Everything exported is safe for concurrent use. A Writer owns one goroutine, which writes; [Writer.Finish] waits for its
// end. [Spools] has one lock for the files of all runs; the slowest operation under it is a write to the system's file
// cache.
package output
