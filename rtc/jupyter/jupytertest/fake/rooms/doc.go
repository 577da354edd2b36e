// Package rooms is the rooms of a Jupyter server with jupyter-collaboration, in Go, for tests: the websocket protocol,
// the shared documents, and what becomes of their files. A [Table] has the rooms of one server; [Table.ServeRoom]
// connects a client to one.
//
// It does what jupyter_server_ydoc 3.0.4 does. The first client that joins has the file loaded, or the history that the
// [Store] has of it; the server speaks first, with SYNC1. What a client sends is applied and sent to all, the sender
// too. A second after the last change the file is written, and the state then says the file's hash; a change meanwhile
// breaks that save off. A file that another program wrote replaces what is in the room. Some time after the last client
// has left, the room goes, and its history stays. Rooms with fewer than two colons in their name are held in memory.
//
// # Faults
//
// A Table's methods make the faults that a client must survive, each by one call: [Table.DropAfterUpdate],
// [Table.SlowSave], [Table.HoldSync] and others. [Table.Received] and [Table.Snapshot] say what a client did.
//
// # What differs from the real server
//
//   - An update with a gap before it is held back until what it builds on arrives; the real server applies it.
//   - An update whose parent is no shared type is dropped in silence; the real server answers it with a conflict. See
//     [Table.Conflict].
//   - A file that is as old as it was counts as changed if its bytes are others: in a bubble of testing/synctest no
//     time passes between two writes. The real server goes by the time alone.
//   - A room that is made anew always has its file's present path in the state, and the history has that, too. The real
//     server does not store the path that it writes when it restores a room. So the third time that a document is in
//     memory its history can have a gap, and what the server then writes of a file that changed is not seen in browsers.
//   - Progressive loading takes a millisecond a cell, and outputs come with their cells however large they are.
//   - There are no forks, no timeline, and no undo.
//   - Of notebooks only nbformat 4 is read.
//
// # Concurrency
//
// All methods of a Table may be called from any goroutine. Each room has a goroutine that alone touches its document,
// its clients and its timers; others hand it functions to run. Each client has two: the one that calls ServeRoom reads,
// and another writes what is queued. Each file has one that looks for changes, and each save one that writes. Nothing
// waits with a mutex held, and time is package time's only, so all of it works within a bubble of testing/synctest,
// over connections that do. [Table.Close] ends all of them and waits until they have ended.
package rooms
