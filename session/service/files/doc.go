// Package files creates, copies, renames and deletes files on the document server, together with the open documents: a copy
// has the latest edits, an open document follows its renamed file, and is closed before its file is deleted.
//
// A document that is not open, here or elsewhere, can be read and written through its file, without a room, see
// [Files.Unjoined]. For an open document, the room's content counts.
//
// # Concurrency
//
// [Files] is safe for concurrent use and starts no goroutine; [Walk] starts goroutines and waits for them. Calls that
// rename a file do so one at a time, because the server checks and then moves.
package files
