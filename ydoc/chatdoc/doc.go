// Package chatdoc reads and writes shared chats: the documents of .chat files, as jupyterlab-chat 0.19 to 0.25 has them.
//
// A chat's root types are the maps users, attachments and metadata, the list messages, and the map state that every
// document has. A message is a shared map of plain values, or a plain object where the server has moved it. The server
// gives each message its own time, and may put it elsewhere for that, as a new entry: what a message is known by is its
// id.
//
// Others may write anything: what is no message is left out, and a field of another type reads as empty. Of a long chat
// only the last [Window] messages are read.
//
// # Concurrency
//
// The methods of a [Doc] may be called from any goroutine. Functions given to [Doc.Follow] and [Doc.OnUpdate] run with
// the document locked, and must use nothing of it. No goroutine is started.
package chatdoc
