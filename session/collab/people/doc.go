// Package people tells of the others in a room, and in a server's global awareness, as values: who they are, in which cell
// each of their tabs is and what it selects, when they last moved and typed, and which documents they have in front.
//
// All of it is what people's tabs say of themselves. A tab tells nobody who comes later: it is known when it next announces
// itself, so that "nobody" and "not known yet" are different answers ([Known]).
//
// # Concurrency
//
// The values are the caller's. [Typing] is safe for use by several goroutines; nothing here starts one.
package people
