// Command nbduet is an MCP server on its standard input and output, or over HTTP, and a peer in the real-time-collaboration rooms of
// one Jupyter server: what an AI client asks for appears live in the JupyterLab tabs that people have open.
//
// This package reads flags and environment (flags.go, http.go, servers.go), finds the Jupyter server (connect.go), and wires and ends the
// parts (run.go); nothing else. Standard output carries MCP and nothing but MCP; what is to be said to people, the log
// included, goes to standard error.
//
// Everything in it runs on the main goroutine, except the MCP server, which run starts and waits for.
package main
