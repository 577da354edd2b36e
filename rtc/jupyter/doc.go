// Package jupyter talks to one Jupyter Server, over its REST interface and its websockets, and finds the servers that
// run on this machine.
//
// The token travels in the Authorization header only: not in a URL, which proxies and logs keep, not in an error or a
// log line, and not to another host when a server redirects.
//
// Every failure is an [*Error] that names the operation and its object, the server's message, and what to do about it;
// errors.Is tells the kinds apart ([ErrNotFound], [ErrUnauthorized], [ErrUnreachable], …).
//
// Paths are the Contents API's own, each a [Path]: relative to the server's root, without a leading
// slash or dot segments. An alias of a path is another room over the same file, and two rooms over one file lose edits.
//
// # Concurrency
//
// All methods of a [Server] are safe for concurrent use. Where it has to be found first ([Options].Find), the request
// that needs it searches, and the others wait for that. A call blocks as long as its context allows; if the context has
// no deadline, for 30 seconds, or 90 if a kernel has to start. No goroutine outlives a call, except those of idle HTTP
// connections, which [Server.CloseIdleConnections] closes.
package jupyter
