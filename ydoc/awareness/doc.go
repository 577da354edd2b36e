// Package awareness keeps what the peers of a room say of themselves: who they are, where their carets stand. It speaks
// the awareness protocol of y-protocols (awareness.js): each client announces a JSON state under its id with a clock
// that it counts up; a higher clock replaces what is known, the state null says goodbye, and who has not renewed within
// 30 seconds is gone.
//
// A [Table] is one client's view. It holds the client's own entries, which only [Table.SetLocal] and [Table.Put] change:
// when a peer speaks for us, with null or a higher clock, the table outbids it, and [Table.Apply] reports the id so that
// the caller announces us again. Whatever the bytes, a table stays within its limits of clients and bytes, and an update
// that is not wholly in order changes nothing.
//
// What a state means is read by the methods of [State], in the shape that JupyterLab gives it. They tolerate any JSON.
//
// Concurrency: a Table may be used from any goroutine; it calls nothing back and starts no goroutine. Time is the
// caller's: pass the present to Apply and Expire, and renew at least twice in a [Timeout].
package awareness
