// Package socket serves one MCP client over one WebSocket connection, which is one MCP session: it begins with the
// connection and ends with it. Each text frame is one JSON-RPC message, in both directions, as each line is over stdio.
//
// MCP has no such transport. The SDK for TypeScript has a client for it, from which the subprotocol's name is.
//
// [Upgrade] makes a [Conn] of a request that the caller has authorized, and [Conn.Serve] serves it. A connection has
// two goroutines, and one for each request in progress, and Serve returns when all have ended: the caller's reads
// (inbox.go), the other one writes all there is to write (outbox.go), pings among it. The client whose connection is
// gone without a word is missed by its answers to pings; the one that does not read, by its writes, each of which has a
// deadline. What a client has not read is bounded: when half of what may wait does, nothing more is read of it, and
// when all does, answers wait in the goroutines of their requests.
//
// The peer (peer.go) is mcp-go's view of the client. It takes what the server says of its own accord, and asks the
// client's user questions.
package socket
