package chatdoc

import (
	"maps"
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Doc is one replica of a shared chat.
type Doc struct {
	*crdt.Replica
	metadata, state *crdt.Type
	source          *crdt.Type // of a text document, which a server without chats makes of the file
	window          window
	follow          map[*func(Batch)]struct{} // guarded by the replica's mutex
}

// New makes an empty replica under a random client id. It writes nothing.
func New() *Doc {
	d := &Doc{follow: map[*func(Batch)]struct{}{}}
	d.Replica = crdt.New(crdt.Options{Keys: usualKeys, Changed: d.window.touched, Settled: d.settled})
	d.window.users = d.Root("users", crdt.KindMap)
	d.window.list = d.Root("messages", crdt.KindArray)
	d.window.attachments = d.Root("attachments", crdt.KindMap)
	d.metadata = d.Root("metadata", crdt.KindMap)
	d.state = d.Root("state", crdt.KindMap)
	d.source = d.Root("source", crdt.KindText)
	return d
}

// usualKeys are the keys of messages.
var usualKeys = crdt.InternKeys(
	"id", "type", "body", "time", "sender", "raw_time", "mentions", "attachments", "edited", "deleted", "metadata", "mime_model",
)

// ID is the chat's id, or "": a server that has jupyterlab-chat gives each chat one when it is
// opened.
func (d *Doc) ID() (id string) {
	d.Read("read the chat's id", func() { id = text(d.metadata.Get("id")) })
	return id
}

// PlainText reports whether the server has made a text document of the file, as one does that has no jupyterlab-chat. An
// empty file does not show that.
func (d *Doc) PlainText() (plain bool) {
	d.Read("look for a text", func() { plain = d.source.Len() > 0 })
	return plain
}

// Path is the file's path as the server sees it, "" where it does not say.
func (d *Doc) Path() (path string) {
	d.Read("read the state", func() { path = text(d.state.Get("path")) })
	return path
}

// Messages are the last [Window] messages, in order.
func (d *Doc) Messages() (list []Message) {
	d.Read("read messages", func() {
		d.window.refresh()
		list = d.window.all()
	})
	return list
}

// Message is the message of that id, if it is among the last [Window].
func (d *Doc) Message(id string) (m Message, ok bool) {
	d.Read("read a message", func() {
		d.window.refresh()
		var e *entry
		if e, ok = d.window.index[id]; ok {
			m = d.window.message(e)
		}
	})
	return m, ok
}

// maxUsers is how many users are listed at most.
const maxUsers = 1_000

// Users are those who are known in the chat, by username.
func (d *Doc) Users() (users []User) {
	d.Read("read the users", func() {
		known := slices.Sorted(maps.Keys(d.window.users.Object()))
		for _, username := range known[:min(len(known), maxUsers)] {
			users = append(users, d.window.user(username))
		}
	})
	return users
}

// A Batch is what one edit, or one update of a peer's, has changed in a chat.
type Batch struct {
	// Messages are those that came or became different, or came anew because the server has moved them.
	Messages []Message
	// Whole is true of the first batch, which has all messages.
	Whole bool
}

// Follow has f called with the messages as they are, and from then on after everything that changes one. f is called with
// the document locked: it must be short, and must use nothing of the document.
func (d *Doc) Follow(f func(Batch)) (stop func()) {
	d.Read("follow", func() {
		d.tell()
		d.follow[&f], d.window.followed = struct{}{}, true
		f(Batch{Messages: d.window.all(), Whole: true})
	})
	return func() {
		d.Read("follow no longer", func() {
			delete(d.follow, &f)
			d.window.followed = len(d.follow) > 0
		})
	}
}

// settled has the followers told of what was just done.
func (d *Doc) settled() {
	if len(d.follow) > 0 && !d.window.current() {
		d.tell()
	}
}

// tell tells the followers the news.
func (d *Doc) tell() {
	if list := d.window.take(); len(list) > 0 {
		for f := range d.follow {
			(*f)(Batch{Messages: list})
		}
	}
}

// ApplyDiff takes in what a peer has and this replica lacks.
func (d *Doc) ApplyDiff(update []byte) error { return d.ApplyVia(update, crdt.ViaDiff) }
