// Package serve offers an MCP server over HTTP: Streamable HTTP at /mcp and at the bare address, WebSocket at /mcp/ws,
// the older HTTP with server-sent events at /sse and /message, and, for programs that speak no MCP, /healthz,
// /tools/list and /tools/call.
//
// # Checks before a request
//
// mcp-go's transports check no Origin, know no tokens, and read bodies of any length. So every request first passes
// [Server.ServeHTTP]. It checks the Host, because a web page can point its own name to this machine, and the Origin,
// because pages send requests across sites (origin.go). It then checks the token (auth.go): one of Config.Tokens, or
// one of an OpenID Connect issuer (oidc.go), whose keys it reads when it needs them (keyring.go). Without a token, a
// client can read where to get one (metadata.go) and whether the server runs, and nothing else. With one, the request
// is counted (limits.go), and its body read within the limits of size and time. Each write has a deadline, and quiet
// streams carry comments (writer.go), so that proxies keep them open and a dead connection is noticed.
//
// # Principals and clients
//
// What a client makes and is shown belongs to its own [tools.Client], and no other client finds it. In the protocol's
// older revisions a client is an MCP session: one Mcp-Session-Id, one stream from /sse, or one WebSocket connection
// (sessions.go, socket.go), whatever its revision. Only the caller who has begun a session can use it: the holder of
// the same token, or the same subject of the issuer, whose tokens are renewed. A session ends with DELETE, with its
// stream, or after a time of silence; its calls are then cancelled and its analysis sessions ended. Revision 2026-07-28
// has no sessions: the client is the caller itself, as it is for /tools/call, and stays until the program ends
// (principals.go). Give people who must not see each other's work a token each.
//
// No session outlives the program. A client that names a session of an earlier run gets 404, as the protocol has it,
// and begins another; the calls that need a document open it again.
//
// # Messages and notifications
//
// mcp-go gets each message as it can take it, and its answers go back under the ids that were sent. It
// drops notifications that are sent just before an answer, so those do not go through its queues (notify.go): what
// belongs to a request goes onto the stream of its answer, and what is for a session onto the stream that its client
// has opened with GET, or, as long as there is none, before the next answer.
//
// # Concurrency
//
// [Server.Serve] owns all goroutines: one for each connection and request, as in net/http, one for each open stream,
// those of package socket, and one that ends silent sessions. It ends after its context, when all of them have. Locks
// guard the tables of sessions and of principals, and the issuer's keys; nothing blocks while one is held. One request
// at a time reads the keys, for all that wait for them.
package serve
