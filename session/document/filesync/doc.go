// Package filesync ensures, and proves, that a document's file has the content of its room.
//
// The server's report of a save proves nothing: it comes even if the file cannot be written, has moved or was changed by
// another program. So a [Saver] requests a save soon after each of our edits, and then checks the file: its hash or, if the
// server does not put one into the document, its content. [Saver.Unsaved] returns the result, in one sentence for callers.
// [Saver.Leave] saves a last time before the room is left, and reports the edits that are in no file.
//
// The differences between jupyter-collaboration, its older versions and jupyter-server-documents are in inside.go and
// silent.go.
//
// # Concurrency
//
// Everything is safe for concurrent use. [Saver.Run] is a goroutine of the document; while a room is left, another one
// records its states until [Saver.Leave] returns.
package filesync
