// Package lobby keeps the agent in a server's global awareness, which goes beyond one room, for as long as a document is
// open: people see there that it is about, and in which documents.
//
// # Concurrency
//
// A [Keeper] is safe for use by any goroutine. It starts none; [Keeper.Close] leaves the lobby, which waits for the
// goroutines of rtc.Lobby.
package lobby
