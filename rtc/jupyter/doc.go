// Package jupyter talks to one Jupyter Server: its REST interface, the handshakes of its websockets, and how to find
// the servers that run on this machine.
//
// A [Server] holds an address and a token and nothing that changes, so every method is safe for concurrent use, blocks
// only as long as its context allows (30 seconds where the context has no deadline, 90 where a kernel has to start), and starts no goroutine that
// outlives the call, apart from the idle HTTP connections that [Server.CloseIdleConnections] closes.
//
// The token travels in the Authorization header and nowhere else: not in a URL, where proxies and logs would keep it,
// not in an error, not in a log line, and not to another host when a server redirects.
//
// Every failure is an [Error] that says what was being done, to what, what the server said, and what to do about it;
// errors.Is tells the kinds apart ([ErrNotFound], [ErrUnauthorized], [ErrUnreachable], …).
//
// Paths are the Contents API's own, as [CleanPath] returns them: relative to the server's root, without a leading
// slash or dot segments. An alias of a path is another room over the same file, and two rooms over one file lose edits.
package jupyter
