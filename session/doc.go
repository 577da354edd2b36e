// Package session is who is at work where: the documents that are open, and when each is put away.
//
// A [Manager] has at most one [Document] for a path, however many callers open it at once. A document is a joined room
// with its replica, the kernel beside it, and the queue of its runs. Nobody closes a document after use: it is evicted
// when it has been idle for Config.IdleTimeout, which saves and leaves the room and lets go of the kernel's socket, and
// nothing more; the kernel is the human's.
//
// What a client writes is a change from what it was last shown, which the Manager remembers, and is merged with what people
// have typed since: [Document.Rewrite], [Document.RewriteText] and [Document.Overwrite] are one call each.
//
// A run belongs to its document, not to the call that asked for it. A call that is cancelled or has waited long enough
// leaves a run behind that goes on, and that can be asked about by its id.
//
// # The packages
//
//	analysis  files  helper      sessions with a kernel; create, copy, rename, delete; a kernel of the program's own
//	        session              documents: open, edit, save, follow, evict
//	    run         lobby        what is executed, and in which way; presence beyond one room
//	output  kernel               what a run has put out; one kernel's channels, and whose it is
//	nbformat  words              notebook files, read and written; numbers, quotations and cut texts in messages
//
// Imports go down this picture only. What is different between the two extensions that keep rooms on a Jupyter server is
// asked in extension.go alone; where documents and kernels are, [kernel.Servers] knows.
//
// # Concurrency
//
// Everything here is safe for use by any goroutine. The Manager owns one goroutine, the janitor, and those that join and
// leave rooms; a Document owns two, the keeper, which joins afresh when the room is lost for good, and the saver, and the
// goroutine of its queue. Manager.Close ends them all, and what was registered with [Manager.OnClose], and waits for them.
// The map of documents has one lock, never held across anything that blocks.
package session
