// Package activity remembers what each client worked on: the number of its tool calls, the files they were about and
// how often, and the topics and discoveries that it noted.
//
// A [Store] keeps the current sessions in memory, so that a client always reads its own session up to date. A
// background goroutine also writes everything to an SQLite database, about a second later, so that a session of last
// week can be looked up. Several processes may use one database.
//
// If a write fails, because the disk is full or another process holds the database, the data stays in memory and is
// tried again; no caller waits for the disk or fails because of it. A process that is killed loses about its last
// second, and leaves its session without an end: the session counts as interrupted after [Silence].
//
// [Runs] are in the same database: the runs in notebooks that a process has begun and that have not ended, for the next
// process that opens the notebook.
//
// # Concurrency
//
// A Store is safe for concurrent use. It owns one goroutine, the writer, which Close ends and waits for. One lock
// guards its sessions; nothing blocks while it is held. Runs is safe for concurrent use, and its callers wait for the
// database.
package activity
