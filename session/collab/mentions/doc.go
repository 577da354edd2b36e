// Package mentions finds where people call an agent by name, "@Duet fix the axis", in the cells of notebooks and in chats,
// and keeps the calls until a client has taken and answered them.
//
// A call counts when it is written: when the caret has left its cell, or the call has not been edited for three seconds.
// Text that was in the notebook before this process joined, text that the server loads from the file, and text in outputs,
// code and quotes does not call an agent. Each call is taken by one client, the first that asks for it; if that client
// leaves before it has answered, the call is free again.
//
// The text of a call is a person's text. This package acts only on the words of [Command], which say who may write.
//
// # Concurrency
//
// A [Book] is safe for concurrent use. A [Tracker] receives changes with its notebook locked, and must not use the notebook
// then. The only goroutine is [Book.Run], which the caller starts.
package mentions
