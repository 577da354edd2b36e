// Package agent runs nbduet as an AI client does: as a child process that speaks MCP over its standard input and output.
//
// Spawn starts the bare process, for tests of the bytes. Start adds a real MCP client. Both record everything that the
// process writes.
//
// Concurrency: an Agent's Call may be used from several goroutines at once. A Process has one goroutine that waits for
// its exit and one for each copied stream; Close, and a receive from Exited, wait for all of them.
package agent
