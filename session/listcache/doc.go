// Package listcache lists folders, kernels, kernelspecs and Jupyter sessions for those who show them, and keeps what it was
// told for [For], so that a list that is asked for again costs no request.
//
// What is kept is not used any more once something may have changed: after each request of ours that is no GET, while code
// of ours runs and after it, after each save of a room and each connection to a kernel that we make ([jupyter.Server]
// counts them), after each change that the server tells of (package events), and when it is known to be away. What nobody tells, such as a file that
// another program writes, is seen when For is over. An answer that was on its way meanwhile is passed on and not kept, and
// so are errors.
//
// It is for showing only: what decides about a write, a room, a revision or a kernel to run on asks the server.
//
// # Concurrency
//
// [Lists] is safe for concurrent use. Callers who ask for the same thing at the same time share one request. What they get
// is their own. The goroutines in which it listens are its starter's, see [New].
package listcache
