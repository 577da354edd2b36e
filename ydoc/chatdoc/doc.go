// Package chatdoc reads and writes shared chats: the documents of .chat files, in the format of jupyterlab-chat 0.19
// to 0.25.
//
// A chat's root types are the maps users, attachments and metadata, the list messages, and the map state that every
// document has. A message is a shared map of plain values, or a plain object if the server has moved it. The server
// gives each message its own time, and may move it accordingly, as a new entry: a message is identified by its id.
//
// Others may write anything: malformed messages are skipped, and a field of the wrong type reads as empty. In a long
// chat only the last [Window] messages are read.
//
// # Concurrency
//
// A [Doc] is safe for concurrent use. Functions given to [Doc.Follow] and [Doc.OnUpdate] run with the document
// locked, and must not use it. The package starts no goroutines.
package chatdoc
