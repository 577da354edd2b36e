// Package activity records each client's work: the number of its tool calls, the files of the calls and how often, and its
// topics and discoveries.
//
// A [Store] keeps the current sessions in memory, so that a client always reads the latest state of its own session. A
// background goroutine also writes everything to an SQLite database, about a second later, so that a session of last week
// can be looked up. Several processes may use one database.
//
// If a write fails, because the disk is full or another process holds the database, the data stays in memory for the next
// try; callers never wait for the disk or fail because of it. A process that is killed loses about its last second, and
// leaves its session without an end: the session counts as interrupted after [Silence].
//
// [Runs] are in the same database: a process's unfinished runs in notebooks, for the next process that opens the notebook.
//
// # Concurrency
//
// A Store is safe for concurrent use. It owns one goroutine, the writer, which Close ends and waits for. One lock guards
// its sessions; nothing blocks while it is held. Runs is safe for concurrent use, and its callers wait for the database.
package activity
