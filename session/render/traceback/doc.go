// Package traceback shortens the error outputs of notebooks to what a reader of text needs: the error, the lines of the
// notebook's own cells that led to it, and where in a library it was raised.
//
// # What is understood
//
// IPython's tracebacks from version 7 on, in each of its modes; Python's own; and those of VS Code. Of other kernels'
// tracebacks nothing but the rulers, and the lines that say again what the error is, are left out.
//
// # Concurrency
//
// The package has only functions, without shared state.
package traceback
