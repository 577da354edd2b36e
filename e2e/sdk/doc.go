// Package sdk is an MCP client made with one of the MCP SDKs, for TypeScript or
// for Python, on which many hosts are built: depending on [Kit], it runs
// e2e/node/client.mjs, e2e/node/client2.mjs or e2e/python/mcp_client.py, and talks
// to it in lines of JSON.
//
// A test starts the program through the client, as a host over stdio does, or
// connects it to a program that serves HTTP:
//
//	c, err := sdk.Start(ctx, sdk.Options{Command: binary, Env: map[string]string{"JUPYTER_TOKEN": token}})
//	c, err := sdk.Start(ctx, sdk.Options{URL: "http://127.0.0.1:3001/mcp"})              // streamable HTTP
//	c, err := sdk.Start(ctx, sdk.Options{URL: "http://127.0.0.1:3001/sse", SSE: true})   // HTTP+SSE
//	c, err := sdk.Start(ctx, sdk.Options{Kit: sdk.Python, Modern: true, Command: binary}) // without a handshake
//
// and then lists, calls, reads and subscribes:
//
//	tools, err := c.Tools(ctx)                        // from here on, each answer is checked by its tool's output schema
//	answer, err := c.Call(ctx, "session_create", nil) // a tool's error is an Answer; err is a protocol or SDK error
//	err = c.Subscribe(ctx, uri)
//	params, err := c.Await(ctx, "notifications/resources/updated", nil)
//	err = c.Close()
//
// All of them speak the protocol's revisions up to 2025-11-25, which begin with
// `initialize`; if [Options] request it, the second versions of the SDKs speak
// 2026-07-28, which has no sessions. There [Client.Subscribe] opens a stream for
// each address, and [Client.Ping] and [Client.End] do not exist.
//
// Concurrency: a Client's methods may be used from several goroutines at once,
// and requests overtake each other. Each Client has one goroutine that reads
// the child's output; Close waits for it.
package sdk
