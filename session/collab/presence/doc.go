// Package presence keeps how each client of this program appears to people: its name, colour and avatar ([Clients]), and the
// rooms it is in, with its caret and status ([Seats]).
//
// Strings that clients send about themselves are not trusted: they are cleaned and cut, a client never gets the name of a
// person in the room, and the name of an unknown client is marked as an AI.
//
// # Concurrency
//
// Clients and Seats are safe for concurrent use. They start no goroutines: the document's owner runs [Seats.Run].
package presence
