// Package tools is nbduet's MCP surface: it takes the calls of MCP clients, passes the work to the session package, and
// writes the answers.
//
// # Making a tool
//
// One function makes one tool. It returns the tool's name, title and description, the hints that hosts show their users
// (read-only, destructive, …), the schemas of its arguments and its result, and the function that answers a call. Its
// package's list puts it into a toolset. registry.go lists all tools. execute_code and execute_cell answer in the format
// of analysis or of datalayer, so they are made here.
//
// # The packages
//
//	serve/      MCP over HTTP and WebSockets, with tokens and logins: hubservice, hubservice/login, jsonrpc, socket
//	tools       the server: the list of tools, the handler around each call, the call log
//	pair        tools: people, what changed, undo, mentions, chats
//	datalayer   tools: the names and answers of another server, jupyter-mcp-server
//	resource    resources, prompts, completions, and the tool that records findings
//	analysis/   tools: analysis sessions, their variables, data files and images: srcbook, templates
//	notebook/   tools: notebooks, cells, kernels and runs: outlined, search
//	document    tools: text documents, files and folders
//	deps        the state that all tools share: the manager, and the state of each client
//	waiting     how calls wait for code and ask for its input
//	render      outputs and images in answers
//	target      the names in a call: paths, cells, revisions
//	tool/       the type of all tools: plaintext
//
// Imports only go down in this list.
//
// # Answering a call
//
// [New] puts one handler around every tool. It checks the arguments against the tool's schema, decodes them, calls the
// tool, and turns the answer into an MCP result: words or a JSON object (answers.go), with images beside it, all
// within [tool.MaxAnswerBytes]. The object is also structured content if the tool is listed with its schema
// (offer.go) and the answer has no image. An error becomes a tool error, which the model reads: it says what was wrong,
// with the value, and what to do. Only a bug in this program, such as a panic, becomes a protocol error.
//
// Each call leaves one record in the log (calllog.go). The log's handler (calllog_handler.go) keeps code, outputs and
// contents out of every record, unless --log-code asks for them.
//
// # Offering tools
//
// More tools can be called than are listed (offer.go): without chosen toolsets, only the set "core" (sets.go) is listed,
// and all tools can be called; a client finds them by their purpose, and calls them by name or through call_tool
// (find_tools.go). A published schema shows less than calls are checked against, see publish.go in package tool. A text that
// names a tool marks the clause with textfmt.Hint; hints.go decides how each client sees it.
//
// # Clients
//
// All state belongs to one client ([tool.Client]). A transport that serves several clients, such as package tools/serve,
// gives each its own: clients share only the documents, and a client's state ends when it leaves.
//
// # Concurrency
//
// The server that New returns answers any number of calls at once. Between calls, the tools remember what each client was
// last shown, and the images of the answers; both are bounded, and safe for concurrent use. All other state is in
// the session package. One goroutine of the session.Manager notifies clients of changes until the manager is closed. A
// tool starts no goroutine that outlives its call. A call may take several requests: one that asks its client something
// through its answer ([tool.Suspended]) continues between them, in a goroutine of the session.Manager.
package tools
