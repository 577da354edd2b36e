package chatdoc

import (
	"maps"
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/roomstate"
)

// Doc is one replica of a shared chat.
type Doc struct {
	*crdt.Replica
	metadata, state *crdt.Type
	source          *crdt.Type // for a file that a server without chats opens as a text document
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

// ID returns the chat's id, or "": a server with jupyterlab-chat assigns one when a chat is opened.
func (d *Doc) ID() (id string) {
	d.Read("read the chat's id", func() { id = text(d.metadata.Get("id")) })
	return id
}

// PlainText reports whether the server has opened the file as a text document, as servers without jupyterlab-chat do.
// For an empty file it returns false.
func (d *Doc) PlainText() (plain bool) {
	d.Read("look for a text", func() { plain = d.source.Len() > 0 })
	return plain
}

// Path returns the file's path as the server sees it, or "" if unknown.
func (d *Doc) Path() (path string) {
	d.Read("read the state", func() { path = text(d.state.Get("path")) })
	return path
}

// Messages returns the last [Window] messages, in order.
func (d *Doc) Messages() (list []Message) {
	d.Read("read messages", func() {
		d.window.refresh()
		list = d.window.all()
	})
	return list
}

// Message returns the message with that id, if it is among the last [Window].
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

// maxUsers is the largest number of users that Users returns.
const maxUsers = 1_000

// Users returns the users known in the chat, by username.
func (d *Doc) Users() (users []User) {
	d.Read("read the users", func() {
		known := slices.Sorted(maps.Keys(d.window.users.Object()))
		for _, username := range known[:min(len(known), maxUsers)] {
			users = append(users, d.window.user(username))
		}
	})
	return users
}

// A Batch is the change that one edit, or one update of a peer, made to a chat.
type Batch struct {
	// Messages are the new, changed and moved messages.
	Messages []Message
	// Whole is true for the first batch, which has all messages.
	Whole bool
}

// Follow calls f with the current messages, and then after every change of a message. f is called with the document
// locked: it must be short and must not use the document.
func (d *Doc) Follow(f func(Batch)) (stop func()) {
	d.Read("follow", func() {
		d.tell()
		d.follow[&f], d.window.followed = struct{}{}, true
		f(Batch{Messages: d.window.all(), Whole: true})
	})
	return func() {
		d.Read("stop following", func() {
			delete(d.follow, &f)
			d.window.followed = len(d.follow) > 0
		})
	}
}

// settled delivers the latest changes to the followers.
func (d *Doc) settled() {
	if len(d.follow) > 0 && !d.window.current() {
		d.tell()
	}
}

// tell delivers new and changed messages to the followers.
func (d *Doc) tell() {
	if list := d.window.take(); len(list) > 0 {
		for f := range d.follow {
			(*f)(Batch{Messages: list})
		}
	}
}

// ApplyDiff applies a peer's answer to this replica's state vector.
func (d *Doc) ApplyDiff(update []byte) error { return d.ApplyVia(update, crdt.ViaDiff) }

// SetState sets entries of the state map to plain JSON values, in one transaction, see [roomstate.Check]; nil removes
// one.
func (d *Doc) SetState(entries map[string]any) error {
	return d.write("set the state", func(x *crdt.Tx) error {
		ready, err := roomstate.Check(d.state, entries, maxDepth)
		if err == nil {
			ready.Put(x, d.state)
		}
		return err
	})
}

// StateEntries returns the entries of the state map whose keys begin with prefix, see [roomstate.In].
func (d *Doc) StateEntries(prefix string) (entries map[string]any) {
	entries = map[string]any{}
	d.Read("read the state", func() { entries = roomstate.In(d.state, prefix) })
	return entries
}
