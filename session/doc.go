// Package session keeps documents open: it joins and leaves their rooms, edits, saves and evicts them.
//
// A [Manager] has at most one [Document] for a path, however many callers open it. A document is a joined room with its
// replica, the notebook's kernel, and the queue of its runs. Callers do not close a document after use: it is evicted
// after Config.IdleTimeout without use, which saves it, leaves the room and closes the kernel's socket. The kernel
// keeps running, because it is the user's.
//
// The Manager records what each client was last shown. What the client writes counts as a change from that, and is
// merged with what people have typed since: see [Document.Rewrite], [Document.RewriteText] and [Document.Overwrite]. What
// a client was not shown it does not destroy: unread.go decides that for all tools, and [Document.Delete] asks it, too.
//
// It records the list of cells, too: an index means the cell that stood there when the client was last shown the
// notebook, see [Document.Listed].
//
// A call waits for a server that does not answer only as long as [Manager.Patient] says. An edit of such a call is
// written only into a replica that is in step with its room, so that what is said not to be made never is.
//
// A run belongs to its document, not to the call that asked for it. If the call is cancelled or stops waiting, the run
// goes on, and can be found by its id.
//
// # The packages
//
//	analysis  files  helper      analysis sessions; create, copy, rename, delete; the program's own kernel
//	        session              documents: open, edit, save, follow, evict
//	    run         lobby        runs, and the ways to execute them; presence outside rooms
//	output  kernel               outputs of runs; one kernel's channels, and its owner
//	nbformat  words              notebook files; numbers, quotations and cut texts in messages
//
// Imports only go down in this picture. Only extension.go knows the differences between the two server extensions that
// keep rooms; [kernel.Servers] knows where documents and kernels are.
//
// # Concurrency
//
// Everything is safe for concurrent use. The Manager owns one goroutine, the janitor, and those that join and leave
// rooms. A Document owns the keeper, which joins the room again when it is lost for good, the saver, and the goroutine
// of its queue. Manager.Close ends all of them, and what was registered with [Manager.OnClose], and waits for them. The
// map of documents has one lock, which is never held across anything that blocks.
package session
