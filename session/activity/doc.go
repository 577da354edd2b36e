// Package activity remembers what each client worked on: how many tools it called, which files it had to do with and how
// often, which topics and discoveries it noted.
//
// A [Store] holds the sessions that go on in memory, so that what a client asks of its own session is right at once,
// whatever the disk is doing. Everything is also written to a SQLite database, a second or so later and in the
// background, so that a session of last week can be looked up. Several processes may use one database.
//
// What cannot be written, because the disk is full or another process holds the database, is kept in memory and tried
// again; nothing that a caller does waits for the disk or fails with it. A process that is killed loses what it had not
// written yet, the last second or so, and leaves its session without an end: it counts as interrupted once nothing has
// been heard of it for [Silence].
//
// # Concurrency
//
// A Store is safe for use by any goroutine. It owns one goroutine, the writer, which Close ends and waits for. Its
// sessions have one lock, never held across anything that blocks.
package activity
