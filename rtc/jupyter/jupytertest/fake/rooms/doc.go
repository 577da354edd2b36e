// Package rooms implements the rooms of a Jupyter server with jupyter-collaboration, in Go, for tests: the websocket
// protocol, the shared documents, and their files. A [Table] holds the rooms of one server; [Table.ServeRoom]
// connects a client to one.
//
// It imitates jupyter_server_ydoc 3.0.4. When the first client joins, the room loads the file, or its history from
// the [Store]; the server sends first, with SYNC1. A client's updates are applied and sent to all clients, including
// the sender. A second after the last change the file is written, and the state then has the file's hash; a change
// meanwhile cancels that save. A file written by another program replaces the room's content. Some time after the
// last client has left, the room ends, and its history stays. Rooms with fewer than two colons in their name are held
// in memory.
//
// # Faults
//
// A Table's methods inject the faults that a client must survive, each by one call: [Table.DropAfterUpdate],
// [Table.SlowSave], [Table.HoldSync] and others. [Table.Received] and [Table.Snapshot] report what a client did.
//
// # Differences from the real server
//
//   - An update with a gap before it is held back until the missing update arrives; the real server applies it.
//   - An update whose parent is not a shared type is dropped silently; the real server answers it with a conflict. See
//     [Table.Conflict].
//   - A file with an unchanged modification time counts as changed if its bytes differ: in a bubble of testing/synctest no
//     time passes between two writes. The real server compares only the time.
//   - A newly made room always has its file's present path in the state, and so does the history. The real server does not
//     store the path that it writes when it restores a room. So the third time that a document is in memory its history can
//     have a gap, and browsers do not see the server's later updates for a changed file.
//   - Progressive loading takes a millisecond per cell, and outputs come with their cells, however large they are.
//   - There are no forks, no timeline, and no undo.
//   - Notebooks of nbformat 2 and 3 are converted only as far as tests need.
//
// # Concurrency
//
// All methods of a Table may be called from any goroutine. Each room has a goroutine that alone accesses its
// document, its clients and its timers; others send it functions to run. Each client has two: the caller of ServeRoom
// reads, and another one writes the queue. Each file has one that checks for changes, and each save one that writes.
// No goroutine waits while it holds a mutex, and all times are package time's, so that the package works in a bubble
// of testing/synctest, over connections that do. [Table.Close] ends all of them and waits until they have ended.
package rooms
