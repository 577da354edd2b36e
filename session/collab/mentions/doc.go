// Package mentions finds where people call an agent by name, "@Duet fix the axis", in the cells of notebooks and in
// chats, and keeps the calls until a client has taken and answered them.
//
// A call counts when it is written: when the caret has left its cell, or no key came for three seconds. What was there
// before us, what the server loads from the file, and what stands in outputs, code and quotes calls nobody. Each call is
// taken by one client, the first that asks for it; one whose client leaves before it has answered is free again.
//
// What a call says is a person's text. Nothing here acts on it but the words of [Command], which say who may write.
//
// # Concurrency
//
// A [Book] is safe for use by any goroutine. A [Tracker] is told of changes with its notebook locked, and uses nothing of
// the notebook then. [Book.Run] is the one goroutine, and its caller's.
package mentions
