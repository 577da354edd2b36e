// Package presence has the clients of this program as participants: what each is called, which colour and which picture it has
// ([Faces]), and in which rooms it is, with a caret and a status of its own ([Seats]).
//
// Strings that clients give of themselves are nobody's word: they are cleaned and cut, nobody gets the name of a person
// who is there, and the name of a client that is not known says that it is an AI.
//
// # Concurrency
//
// Faces and Seats are safe for use by any goroutine. Neither starts one: [Seats.Run] is run by the document's owner.
package presence
