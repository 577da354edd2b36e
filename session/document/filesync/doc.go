// Package filesync sees to it that a document's file gets what its room has, and proves that it has.
//
// The server's report of a save is no proof: it comes even if the file cannot be written, has moved or was changed by
// another program. So a [Saver] asks for a save soon after each edit of ours, and then looks at the file: at its hash, or
// where the server puts none into the document at its content. What it finds is [Saver.Unsaved], in one sentence for
// callers. [Saver.Leave] saves a last time before the room is left, and says which edits are in no file.
//
// The differences between jupyter-collaboration, its older versions and jupyter-server-documents are in proof.go,
// silent.go and inside.go.
//
// # Concurrency
//
// Everything is safe for concurrent use. [Saver.Run] is a goroutine of the document's; a room that is left has one more
// that watches its states until [Saver.Leave] returns.
package filesync
