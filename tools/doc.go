// Package tools is nbduet's MCP surface: it takes the calls of an MCP client apart, has the session package do the
// work, and writes the answers.
//
// # How a tool is made
//
// One function makes one tool, in a file named after its subject (url.go, notebook_read.go, notebook_modify.go,
// notebook_run.go, sessions.go, …). What it returns holds everything there is to say about the tool: name, title,
// description, toolset, the marks that hosts show their users (read-only, destructive, …), the schema of its arguments
// and of its result, and the function that answers a call. registry.go lists them all; nothing is registered elsewhere.
//
// The files datalayer*.go hold the tools that have the names of another server, jupyter-mcp-server: datalayer.go says
// what they have in common.
//
// # How a call is answered
//
// [New] puts one handler around every tool. It checks the arguments against the tool's schema (arguments.go), decodes
// them, calls the tool, and turns what comes back into an MCP result (answer.go): the JSON object once as text and once
// as structured content, images as image content beside it, all of it within [tool.MaxAnswerBytes]. An error is answered as
// a tool error, which the model reads: it says what was wrong, with the value, and what to do. Only what is this
// program's own fault, such as a panic, becomes a protocol error.
//
// Each call leaves one record in the log (calllog.go). Code, outputs and contents are kept out of it, and out of all else
// that is logged, by the log's handler (calllog_handler.go), unless --log-code asks for them.
//
// Images stand beside the JSON, made fit by the package session/images, and are named in it by their addresses (images.go),
// at which they are resources (resources_images.go). Outputs of cells are cut to size by output.go and text.go; which
// cells a range means is decided in ranges.go; a client that asks for it hears of the progress of cells that run
// (progress.go).
//
// # Resources
//
// Beside images, the notebooks that a client has open are resources (resources_notebook*.go), at addresses under its own
// sessions (resources_owned.go), and so are the templates for new ones (the folder templates). resources_list.go lists
// them, resources_complete.go completes their addresses, resources_errors.go gives errors their codes. Who subscribes to
// one is told of changes by subscriptions.go: a subscription opens nothing, and keeps open what is.
//
// # Whose is what
//
// All that is kept is kept for a client (client.go): where a transport serves several, one finds nothing of another's but
// the documents, and takes what it has with it when it leaves. The package tools/serve is such a transport.
//
// # Concurrency
//
// The server that New returns answers any number of calls at once. What tools keep between calls is what each client
// was last shown (seen.go) and the images of the answers (images.go), which are safe for concurrent use and bounded; all
// else lives in the session package.
// One goroutine of the session.Manager's tells clients of changes, until the manager is closed.
// A tool starts no goroutine that outlives its call, where a call may take several requests: one that has to ask its
// client something by way of its answer goes on in between (suspend.go), at the session.Manager's expense.
package tools
