// Package socket serves one MCP client over one WebSocket connection, which is one MCP session: it begins with the
// connection and ends with it. Each text frame is one JSON-RPC message, in both directions, as each line is over stdio.
//
// MCP does not define this transport. The SDK for TypeScript has a client for it, which also defines the subprotocol's name.
//
// [Upgrade] makes a [Conn] from a request that the caller has authorized, and [Conn.Serve] serves it. A connection has two
// goroutines, and one for each request in progress, and Serve returns when all have ended: the caller's goroutine reads
// (inbox.go), the other one writes all messages and pings (outbox.go). A client that disappears without closing is detected
// by missing pongs; one that does not read, by its writes, each of which has a deadline. Unread messages are bounded: when
// the queue is half full, reading pauses, and when it is full, answers wait in the goroutines of their requests.
//
// The peer (peer.go) is mcp-go's view of the client. It takes the server's own messages, and asks the client's user
// questions.
package socket
