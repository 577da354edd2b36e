// Package listcache lists folders, kernels, kernelspecs and Jupyter sessions for answers that show them, and keeps each list
// for at most [For], so that a repeated list costs no request.
//
// A kept list is not used after a change by this program, which [jupyter.Server] counts: a request other than GET, running
// code, a save of a room, a connection to a kernel. A list whose request was under way during a change is returned and not
// kept, and so are errors. Changes by other programs, such as files written on the server, are seen when For is over.
//
// It is for showing only: what decides about a write, a room, a revision or a kernel to run on asks the server.
//
// # Concurrency
//
// [Lists] is safe for concurrent use. Callers that ask for the same thing at the same time share one request; each gets a
// list of its own. The package starts no goroutine.
package listcache
