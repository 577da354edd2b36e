// Package journal keeps the edits of clients in notebooks, so that they can be undone after the notebook was closed, and
// after a restart of this program or of the Jupyter server.
//
// A [Journal] is an SQLite database beside the record of activity. For each edit it has the client, the tool and the reason
// of the call, and the sources and places of the changed cells before and after; no outputs. Several processes may use one
// database: each writes its own steps, and reads those of all.
//
// Steps are written by a background goroutine, in the order of their calls; callers never wait for the disk and do not fail
// because of it. Steps older than [MaxAge] are deleted, and the oldest if all together exceed [MaxBytes].
//
// If the database is damaged, it is renamed, and a new one begins. If it cannot be used, steps end with the program, which is
// logged once.
//
// # Concurrency
//
// A Journal is safe for concurrent use. It owns one goroutine, the writer, which Close ends and waits for.
package journal
