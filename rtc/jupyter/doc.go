// Package jupyter is a client of one Jupyter Server, over its REST interface and its websockets, and finds the
// servers that run on this machine.
//
// The token is sent in the Authorization header only: it never appears in a URL, which proxies and logs keep, in an
// error or in a log line, and it is not sent to another host when a server redirects.
//
// Every failure is an [*Error] with the operation and its object, the server's message, and a hint what to do;
// errors.Is distinguishes the kinds ([ErrNotFound], [ErrUnauthorized], [ErrUnreachable], …).
//
// Paths are those of the Contents API, each a [Path]: relative to the server's root, without a leading slash or dot
// segments. An alias of a path gives another room for the same file, and two rooms for one file lose edits.
//
// # Concurrency
//
// All methods of a [Server] are safe for concurrent use. If it has to be found first ([Options].Find), the request
// that needs it searches, and the others wait for the result. A call blocks until its context ends; if the context
// has no deadline, for 30 seconds, or 90 if a kernel has to start. No goroutine outlives a call, except those of idle
// HTTP connections, which [Server.CloseIdleConnections] closes.
package jupyter
