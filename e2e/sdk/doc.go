// Package sdk is an MCP client made with the MCP SDK for TypeScript, on which
// many hosts are built: it runs e2e/node/client.mjs and talks to it in lines of
// JSON.
//
// A test starts the program through the client, as a host over stdio does, or
// connects it to one that serves HTTP:
//
//	c, err := sdk.Start(ctx, sdk.Options{Command: binary, Env: map[string]string{"JUPYTER_TOKEN": token}})
//	c, err := sdk.Start(ctx, sdk.Options{URL: "http://127.0.0.1:3001/mcp"})              // streamable HTTP
//	c, err := sdk.Start(ctx, sdk.Options{URL: "http://127.0.0.1:3001/sse", SSE: true})   // HTTP+SSE
//
// and then lists, calls, reads and subscribes:
//
//	tools, err := c.Tools(ctx)                        // from here on, each answer is checked by its tool's output schema
//	answer, err := c.Call(ctx, "session_create", nil) // a tool's error is an Answer, an error is one of the protocol or the SDK
//	err = c.Subscribe(ctx, uri)
//	params, err := c.Await(ctx, "notifications/resources/updated", nil)
//	err = c.Close()
//
// The SDK speaks the protocol's revisions up to 2025-11-25, which begin with
// `initialize`.
//
// Concurrency: a Client's methods may be used from several goroutines at once,
// and requests overtake each other. Each Client has one goroutine that reads
// what the child writes; Close waits for it.
package sdk
