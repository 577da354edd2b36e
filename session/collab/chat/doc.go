// Package chat keeps the rooms of chats, which are .chat files on a server with jupyterlab-chat.
//
// A [Keeper] opens chats, each once for all its users, and leaves a chat that has been unused for a while. A [Chat] reports
// each message that others write from then on, once: also when the server moves it, when the connection was lost, and when
// the room had to be rejoined.
//
// A server without jupyterlab-chat makes a text document of the file. Such a room is left at once, without writing to it.
//
// # Concurrency
//
// All methods are safe for concurrent use. Each chat has two goroutines: one keeps it in its room, and one calls
// Config.Heard for one event after another. Heard may use the chat, but must not call [Keeper.Close], which waits for it.
package chat
