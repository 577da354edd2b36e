// Package agent runs nbduet as an AI client does: as a child process that
// speaks MCP over its standard input and output.
//
// Spawn starts the bare process, for tests of the bytes. Start puts a real MCP
// client on top. Both record all that the process writes.
//
// Concurrency: an Agent's Call may be used from several goroutines at once. A
// Process has one goroutine that waits for its end, and one for each stream that
// is copied; Close, and a receive from Exited, wait for all of them.
package agent
