// Package serve offers an MCP server over HTTP: Streamable HTTP at /mcp, the older HTTP with server-sent events at /sse
// and /message, and, for programs that speak no MCP, /healthz, /tools/list and /tools/call.
//
// # What stands before a request
//
// mcp-go's transports check no Origin, know no tokens, and read whatever they are sent. So everything comes through
// [Server.ServeHTTP] first, which checks the Host (origin.go), against web pages that have their own name point to this
// machine; the Origin, against pages that send requests across; and the token (auth.go), which is one that was given at
// the start, or one of an OpenID Connect issuer (oidc.go), whose keys are read when they are needed (keyring.go). Who has
// none may read where to get one (metadata.go), and whether the server is well, and nothing else. Only then is it counted
// (limits.go), and its body read, as far as the limits of size and time go. Whatever is written has to be taken by
// the other side within a time, and streams on which nothing happens carry comments (writer.go), so that neither
// proxies nor we take silence for an end, or an end for silence.
//
// # Who a client is
//
// What a client makes and is shown is kept under a [tools.Client] of its own, and nobody else finds it. In the
// protocol's older revisions a client is an MCP session: one Mcp-Session-Id, or one stream from /sse (guests.go).
// It may only be used by the caller who has begun it: with the same token, or as the same subject of the issuer's, whose
// tokens are renewed all the time. It ends with DELETE, with the end of the stream, or when
// nothing was heard of it for a time; then its calls are cancelled and its analysis sessions ended. Since revision
// 2026-07-28 there are no such sessions: the client is the caller, as it is for /tools/call, and stays until the
// program ends (people.go). People who are not to see each other's work are given a token each.
//
// Nothing of that outlives the program. Who comes with a session of the program's last life is told that there is none
// (404), as the protocol has it, and begins another; what was open is opened again by the calls that need it.
//
// # Concurrency
//
// [Server.Serve] owns all goroutines: one a connection and request, as net/http has it, one for each open stream, and
// the one that looks for clients that have been silent. It ends when its context does, after them. Locks guard the
// tables of guests and of people and the issuer's keys, and are held across nothing that blocks. The keys are read by
// one request at a time, for all that wait for them.
package serve
