// Package session keeps documents open: it joins and leaves their rooms, edits, saves and evicts them.
//
// A [Manager] has at most one [Document] for a path, however many callers open it. A document is a joined room with its
// replica, the notebook's kernel, and the queue of its runs. Callers do not close a document after use: it is evicted after
// Config.IdleTimeout without use, which saves it, leaves the room and closes the kernel's socket. The kernel keeps running,
// because it is the user's.
//
// Package readset records what each client was shown and may therefore write: see [Document.As]. Package filesync makes the
// file follow the room.
//
// A call waits for a server that does not answer only as long as [Manager.WithBudget] says. An edit of such a call is written
// only into a replica that is in step with its room, so that an edit reported as not made is never made later.
//
// A run belongs to its document, not to the call that started it. If the call is cancelled or stops waiting, the run
// continues, and can be found by its id.
//
// # The packages
//
//	service/   services on open documents: analysis, chatwatch, filepreview, files, search
//	session    the manager and its documents: open, edit, save, evict
//	store/     data that outlives the process: activity, journal, project, sqlite
//	collab/    people and other agents: chat, editguard, globalawareness, lease, mentions, people, presence
//	document/  the state of one document: changelog, filesync, nbformat, outline, readset, refusedrooms, undo
//	kernel/    one kernel's channels and its runs: figure, inspect, output, run, userexpr
//	listcache  the lists of folders, kernels and sessions
//	render/    kernel outputs as text and images: datauri, htmltext, images, traceback
//	origin     which client and which call makes an edit
//	textfmt    numbers, quotations and cut texts in messages
//
// Imports only go down in this picture. Only extension.go and, for saves, package filesync know the differences between the
// two server extensions that keep rooms; [kernel.Servers] knows where documents and kernels are.
//
// # Concurrency
//
// Everything is safe for concurrent use. The Manager owns the janitor's goroutine, and the goroutines that join and leave
// rooms. A Document owns the keeper, which joins the room again when it is lost for good, the saver, and the goroutine of
// its queue. Manager.Close ends all of them, calls the functions registered with [Manager.OnClose], and waits for them. The
// map of documents has one lock, which is never held across blocking operations.
package session
