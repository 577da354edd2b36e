// Package traceback shortens notebook error outputs to the essentials: the error, the lines of the notebook's own cells
// that led to it, and where in a library it was raised.
//
// # Supported forms
//
// IPython's tracebacks since version 7, in each of its modes; Python's own; and those of VS Code. Other kernels' tracebacks
// lose only the rulers and the lines that repeat the error.
//
// # Concurrency
//
// The package has only functions, without shared state.
package traceback
