// Package listcache lists folders, kernels, kernelspecs and Jupyter sessions for answers that show them, and caches each
// list for at most [For], so that a repeated list costs no request.
//
// A cached list is not used after a change by this program, which [jupyter.Server] counts: a request other than GET,
// running code, a save of a room, a connection to a kernel. A list whose request was in progress during a change is
// returned but not cached, as are errors. Changes by other programs, such as files written on the server, are seen when For
// is over.
//
// It is only for display: decisions about a write, a room, a revision or a kernel to run on query the server.
//
// # Concurrency
//
// [Lists] is safe for concurrent use. Concurrent callers with the same question share one request; each gets its own list.
// The package starts no goroutine.
package listcache
