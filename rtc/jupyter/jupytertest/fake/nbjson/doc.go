// Package nbjson reads and writes notebook files as Jupyter's nbformat does, byte for byte, for servers in tests.
//
// A notebook is a plain JSON object with its texts in one piece: [Read] joins what a file has as lists of lines, and
// [Write] splits it again. [Notary] is nbformat's: it says whose outputs may be shown.
//
// Only nbformat 4 is read; the real server converts older ones. Whole floats are written as integers, and a notebook
// that nbformat's schema refuses is written nevertheless, as Jupyter does.
//
// # Concurrency
//
// The functions have no state. A Notary may be used from any goroutine. No goroutine is started.
package nbjson
