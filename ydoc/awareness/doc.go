// Package awareness keeps the presence of a room's peers: user names, carets. It implements the awareness protocol of
// y-protocols (awareness.js): each client announces a JSON state under its id, with a clock that it increments; a
// higher clock replaces the known state, the state null is a goodbye, and a client that has not renewed within 30
// seconds is removed.
//
// A [Table] is one client's view. It holds the client's own entries, which only [Table.SetLocal] and [Table.Put]
// change: if a peer announces one of them, with null or a higher clock, the table uses a still higher clock, and
// [Table.Apply] reports the id so that the caller announces the entry again. Whatever the input, a table stays within
// its limits of clients and bytes, and an invalid update changes nothing.
//
// The methods of [State] interpret a state, in JupyterLab's format. They tolerate any JSON.
//
// Concurrency: a Table is safe for concurrent use; it makes no callbacks and starts no goroutines. The caller
// provides the time: pass it to Apply and Expire, and renew at least twice per [Timeout].
package awareness
