// Package globalawareness shows our clients in a server's global awareness, which covers all rooms, while a document is
// open: people see that they are connected, and in which documents.
//
// # Concurrency
//
// A [Keeper] is safe for concurrent use. It starts no goroutines; [Keeper.Close] leaves the lobby, which waits for the
// goroutines of rtc.Lobby.
package globalawareness
