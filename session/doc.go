// Package session is who is at work where: the documents that are open, the
// runs that go on in them, and when each is put away.
//
// A [Manager] has at most one [Document] for a path, however many callers open
// it at once. A document is a joined room with its replica, the kernel beside
// it, and the queue of its runs. Nobody closes a document after use: it is
// evicted when it has been idle for Config.IdleTimeout, which saves and leaves
// the room and lets go of the kernel's socket, and nothing more; the kernel is
// the human's.
//
// A run belongs to its document, not to the call that asked for it. A call that
// is cancelled or has waited long enough leaves a run behind that goes on, and
// that can be asked about by its id.
//
// An [Analysis] is a kernel that an owner works with by an id, and its notebook
// if it has one. Code in a notebook's session is run by the document; a kernel
// alone has a queue of its own, with the same kind of runs.
//
// # Concurrency
//
// Everything here is safe for use by any goroutine. The Manager owns one
// goroutine, the janitor, and those that leave rooms; a Document owns three:
// the keeper, which joins afresh when the room is lost for good, the saver, and
// the runner, which executes the queue in order; an Analysis without a notebook
// owns one, its runner; the helper kernel, in which files are read, has one
// that puts it away. Manager.Close ends them all and waits for them. The map of
// documents has one lock, never held across anything that blocks.
package session
