// Package editguard refuses edits of a notebook by a client's call where a person is typing, or has said hands off.
//
// A [Guard] checks an edit when it is staged and nothing is written yet. It refuses a cell in which a person typed within
// [Quiet], with a [BusyError], unless the call waits or forces, see [Manners]. It refuses cells on which a person has said
// hands off, see [HandsOff], and notebooks in which a person has pressed Stop, see [Stops], with a [HandsOffError], which
// nothing overrides. Only keys count: a caret, a run, a move, a paste, a file that the server loads, a closed tab and an agent
// do not block an edit. A client that awareness has not described counts as a person. Outputs of runs do not belong to a call
// and are never refused. A text has no cells: there, the edit is refused if it changes the word that a person is typing, see
// [InText].
//
// # Concurrency
//
// Everything is safe for concurrent use, and the package starts no goroutines. A [Guard] belongs to one attempt at an edit.
package editguard
