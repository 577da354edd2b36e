// Package serve offers an MCP server over HTTP: Streamable HTTP at /mcp and at the bare address, WebSocket at /mcp/ws, the
// older HTTP with server-sent events at /sse and /message, and, for programs without MCP, /healthz, /tools/list and
// /tools/call.
//
// # Checks before a request
//
// mcp-go's transports do not check the Origin or tokens, and read bodies of any length. Every request therefore first passes
// [Server.ServeHTTP]. It checks the Host, because a web page can point its own name to this machine, and the Origin, because
// pages send requests across sites (origin.go). It then checks the token (auth.go): one of Config.Tokens, or one of an
// OpenID Connect issuer (oidc.go), whose keys it reads when it needs them (keyring.go). Without a token, a client can read
// only where to get one (metadata.go) and whether the server runs. With one, the request is counted (limits.go), and its
// body read within the limits of size and time. Each write has a deadline, and quiet streams carry comments (writer.go), so
// that proxies keep them open and a dead connection is noticed.
//
// # Principals and clients
//
// Everything that a client creates or receives belongs to its own [tools.Client], and no other client can find it. In the
// protocol's older revisions a client is an MCP session: one Mcp-Session-Id, one stream from /sse, or one WebSocket
// connection (sessions.go, socket.go), whatever its revision. Only the caller that began a session can use it: the holder of
// the same token, or the same subject of the issuer, whose tokens are renewed. A session ends with DELETE, with its stream,
// or after a time of silence; its calls are then cancelled and its analysis sessions ended. Revision 2026-07-28 has no
// sessions: the client is the caller itself, as it is for /tools/call, and stays until the program ends (principals.go).
// Give people who must not see each other's work a token each.
//
// No session outlives the program. A client that names a session of an earlier run gets 404, as the protocol requires, and
// begins a new one; calls that need a document open it again.
//
// # Messages and notifications
//
// Each message is adapted for mcp-go, and its answers return with the ids that the client sent. mcp-go drops notifications
// that are sent just before an answer, so those bypass its queues (writer.go): a notification for a request goes onto the
// stream of its answer, and one for a session onto the stream that its client has opened with GET or, without a stream,
// before the next answer.
//
// # Concurrency
//
// [Server.Serve] owns all goroutines: one for each connection and request, as in net/http, one for each open stream, the
// goroutines of package socket, and one that ends silent sessions. It returns after its context has ended and all of them
// have. Locks guard the tables of sessions and of principals, and the issuer's keys; nothing blocks while one is held. One
// request at a time reads the keys, for all requests that wait for them.
package serve
