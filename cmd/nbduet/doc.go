// Command nbduet is an MCP server on its standard input and output, or over HTTP, and a peer in the real-time-collaboration
// rooms of a Jupyter server: the work of an AI client appears live in the JupyterLab tabs that people have open.
//
// This package reads flags and environment (flags.go, http.go, servers.go), finds the Jupyter server (connect.go), and
// connects the parts and shuts them down (run.go). Standard output carries MCP only; messages for people, and the log, go to
// standard error.
//
// Everything runs on the main goroutine, except the MCP server, which run starts and waits for.
package main
