// Package nbjson reads and writes notebook files as Jupyter's nbformat does, byte for byte, for servers in tests.
//
// A notebook is a plain JSON object with its texts in one piece: [Read] joins the lists of lines in a file, and
// [Write] splits the texts again. [Notary] is nbformat's notary: it records which outputs may be shown.
//
// Formats 2 and 3 are converted to nbformat 4 only as far as tests need. Whole floats are written as integers, and a
// notebook that nbformat's schema rejects is still written, as Jupyter does.
//
// # Concurrency
//
// The functions have no state. A Notary may be used from any goroutine. No goroutine is started.
package nbjson
