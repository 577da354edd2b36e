// Package chat keeps the rooms of chats: of .chat files on a server that has jupyterlab-chat.
//
// A [Keeper] opens chats, each once however many use it, and leaves one that nobody has used for a while. A [Chat] says
// what others write there from then on, each message once: also when the server moves it, when the connection was lost,
// and when the room had to be joined afresh.
//
// A server without jupyterlab-chat makes a text document of the file. Such a room is left at once, with nothing written
// to it.
//
// # Concurrency
//
// All methods are safe for concurrent use. Each chat has two goroutines: one keeps it in its room, and one calls
// Config.Heard for one event after another. Heard may use the chat, but must not call [Keeper.Close], which waits for it.
package chat
