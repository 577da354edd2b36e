// Package datalayer has the names, arguments and answers of Datalayer's jupyter-mcp-server over the same session calls as
// all other tools: those of its version 2, and those from the time when it began to run inside Jupyter Server. A user of
// that server keeps the same prompts.
//
// # Concurrency
//
// A [Toolset] remembers which notebooks each client has named, until the client leaves. It may be used by several goroutines
// at once and starts none.
package datalayer
