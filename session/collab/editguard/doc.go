// Package editguard keeps agents off people's toes: an edit of a notebook that a client's call makes is held back where a person
// is typing, or has said hands off.
//
// A [Guard] is asked within the edit, when all of it is staged and nothing is written. It refuses a cell in which a person
// typed within [Quiet], with a [BusyError], unless the call waits or forces, see [Manners]; and with a [HandsOffError] what
// people have put under their hands, see [HandsOff], which nothing overrides. Only keys count: a caret, a run, a move, a
// paste, a file that the server loads, a tab that is gone and an agent block nobody. A client of which awareness
// has said nothing is a person. What runs write belongs to no call, and is never held back. In a text, which has no cells, the
// word is held back in which somebody types, see [InText].
//
// # Concurrency
//
// Everything is safe for concurrent use, and nothing here has a goroutine. A [Guard] belongs to one attempt at an edit.
package editguard
