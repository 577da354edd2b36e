// Package tools is nbduet's MCP surface: it takes the calls of MCP clients, has the session package do the work, and
// writes the answers.
//
// # How a tool is made
//
// One function makes one tool. It returns the tool's name, title and description, the hints that hosts show their users
// (read-only, destructive, …), the schemas of its arguments and its result, and the function that answers a call. Its
// package's list puts it into a toolset. registry.go lists all tools; nothing is registered elsewhere. execute_code and
// execute_cell answer in the way of analysis or of datalayer, so they are made here.
//
// # The packages
//
//	serve/      MCP over HTTP and WebSockets, with tokens and logins: hubservice, hubservice/login, jsonrpc, socket
//	tools       the server: the list of tools, the handler around each call, the call log
//	pair        tools: people, what changed, undo, mentions, chats
//	datalayer   tools: the names and answers of another server, jupyter-mcp-server
//	resource    resources, prompts, completions, and the tool that records findings
//	analysis/   tools: analysis sessions, their variables, data files and images: srcbook, templates
//	notebook    tools: notebooks, cells, kernels and runs
//	document    tools: text documents, files and folders
//	deps        what all tools are made with: the manager, and what is kept for each client
//	waiting     how a call waits for code, and asks for its input
//	render      what an answer shows of outputs and images
//	target      what a call names and touches: paths, cells, revisions
//	tool/       what a tool is, whatever it is about: plaintext
//
// Imports only go down in this list.
//
// # How a call is answered
//
// [New] puts one handler around every tool. It checks the arguments against the tool's schema, decodes them, calls the
// tool, and turns what comes back into an MCP result: words or a JSON object (answers.go), with images beside it, all
// within [tool.MaxAnswerBytes]. The object is structured content as well where the tool is listed with its schema
// (offer.go) and the answer has no picture. An error is answered as a tool error, which the model reads: it
// says what was wrong, with the value, and what to do. Only this program's own fault, such as a panic, becomes a
// protocol error.
//
// Each call leaves one record in the log (calllog.go). The log's handler (calllog_handler.go) keeps code, outputs and
// contents out of every record, unless --log-code asks for them.
//
// # What is offered
//
// Which tools are listed and which can be called are two things (offer.go): without toolsets chosen, the set "core"
// (sets.go) is listed, and all tools can be called; a client finds them by what they are for, and calls them by name or
// through call_tool (find_tools.go). What a model is shown of a schema is less than what calls are checked against, see
// publish.go in package tool. A text that names a tool marks the clause with textfmt.Hint; hints.go alone decides what each
// client is told.
//
// # Clients
//
// Everything that is kept is kept for one client ([tool.Client]). A transport that serves several clients gives each
// its own: no client sees anything of another's except the documents, and what it has ends when it leaves. Package
// tools/serve is such a transport.
//
// # Concurrency
//
// The server that New returns answers any number of calls at once. Between calls, the tools keep what each client was
// last shown, and the images of the answers; both are bounded, and safe for concurrent use. Everything else lives in
// the session package. One goroutine of the session.Manager notifies clients of changes until the manager is closed. A
// tool starts no goroutine that outlives its call. A call may take several requests: one that asks its client something
// through its answer ([tool.Suspended]) goes on between them, in a goroutine of the session.Manager.
package tools
