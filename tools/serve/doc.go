// Package serve offers an MCP server over HTTP: Streamable HTTP at /mcp, the older HTTP with server-sent events at /sse
// and /message, and, for programs that speak no MCP, /healthz, /tools/list and /tools/call.
//
// # What stands before a request
//
// mcp-go's transports check no Origin, know no tokens, and read whatever they are sent. So everything comes through
// [Server.ServeHTTP] first, which checks the Host (origin.go), against web pages that have their own name point to this
// machine; the Origin, against pages that send requests across; and the token (auth.go). Only then is it counted
// (limits.go), and its body read, as far as the limits of size and time go. Whatever is written has to be taken by
// the other side within a time, and streams on which nothing happens carry comments (writer.go), so that neither
// proxies nor we take silence for an end, or an end for silence.
//
// # Who a client is
//
// What a client makes and is shown is kept under a [tools.Client] of its own, and nobody else finds it. In the
// protocol's older revisions a client is an MCP session: one Mcp-Session-Id, or one stream from /sse (guests.go).
// It may only be used with the token that it was begun with. It ends with DELETE, with the end of the stream, or when
// nothing was heard of it for a time; then its calls are cancelled and its analysis sessions ended. Since revision
// 2026-07-28 there are no such sessions: the client is who has the token, as it is for /tools/call, and stays until the
// program ends. People who are not to see each other's work are given a token each.
//
// # Concurrency
//
// [Server.Serve] owns all goroutines: one a connection and request, as net/http has it, one for each open stream, and
// the one that looks for clients that have been silent. It ends when its context does, after them. A lock guards the
// table of guests, and is held across nothing that blocks.
package serve
