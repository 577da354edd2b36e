// Package people describes the other users in a room, and in a server's global awareness: their names, the cell and
// selection of each of their tabs, when they last moved and typed, and which documents they have in front.
//
// All of this is what people's tabs announce. A client that joins later receives it only when a tab next announces itself,
// so "nobody is there" and "not known yet" are different answers ([Known]).
//
// # Concurrency
//
// The caller owns the values. [Typing] is safe for concurrent use; nothing here starts a goroutine.
package people
