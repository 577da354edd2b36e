package chatdoc

import "github.com/nbduet/nbduet/ydoc/crdt"

// Window is the number of messages of a chat that are read: the last ones.
const Window = 1_000

// window holds the last messages of a chat.
type window struct {
	list, users, attachments *crdt.Type

	// Guarded by the replica's mutex.
	order    []*entry // in order, once ordered
	ordered  bool
	index    map[string]*entry // the last one if several share an id
	stale    []*entry          // entries to read again
	followed bool              // whether news is kept
	news     []*entry          // entries read since the followers were last called
}

// entry is an entry of the list of messages and its cached content.
type entry struct {
	typ   *crdt.Type     // nil for a plain object
	plain map[string]any // nil for a shared map
	msg   raw
	ok    bool // whether it is a valid message
	stale bool
	fresh bool // whether it is in news
}

// touched notes the entries that a transaction changed.
func (w *window) touched(c *crdt.Change) {
	if c.Has(w.list) {
		w.ordered = false
	}
	for _, t := range c.Touched {
		if e, _ := t.Data.(*entry); e != nil && !e.stale {
			e.stale = true
			w.stale = append(w.stale, e)
		}
	}
}

// refresh updates the window. It looks at each entry if any was added or removed, else only at the changed ones.
func (w *window) refresh() {
	for _, e := range w.stale {
		if e.stale = false; !e.typ.Deleted() {
			id := e.msg.ID
			w.read(e)
			w.ordered = w.ordered && e.msg.ID == id
		}
	}
	clear(w.stale)
	w.stale = w.stale[:0]
	if w.ordered {
		return
	}
	w.ordered = true
	was := w.index
	w.order, w.index = w.last(was), make(map[string]*entry, len(w.order)+1)
	for _, e := range w.order {
		if e.ok {
			w.index[e.msg.ID] = e
		}
	}
}

// last returns the last entries of the list.
func (w *window) last(was map[string]*entry) []*entry {
	skip := w.list.Len() - Window
	order := make([]*entry, 0, min(Window, w.list.Len()))
	for t, v := range w.list.Entries() {
		if skip--; skip >= 0 {
			continue
		}
		var e *entry
		if t != nil {
			if e, _ = t.Data.(*entry); e == nil {
				e = &entry{typ: t}
				t.Data = e
				w.read(e)
			}
		} else {
			o := object(v)
			if e = was[text(o["id"])]; e == nil || e.plain == nil || !crdt.EqualObjects(e.plain, o) {
				e = &entry{plain: o}
				w.read(e)
			}
		}
		order = append(order, e)
	}
	return order
}

// read reads a message, again or for the first time.
func (w *window) read(e *entry) {
	get := func(key string) any { return e.plain[key] }
	if e.typ != nil {
		get = e.typ.Get
	}
	e.msg, e.ok = readMessage(get)
	if w.followed && !e.fresh {
		e.fresh = true
		w.news = append(w.news, e)
	}
}

// message returns an entry's message with its sender and attachments.
func (w *window) message(e *entry) Message {
	m := e.msg.Message
	m.Sender = w.user(e.msg.sender)
	for _, id := range e.msg.attachments {
		if a, ok := readAttachment(w.attachments.Get(id)); ok {
			m.Attachments = append(m.Attachments, a)
		}
	}
	return m
}

func (w *window) user(username string) User { return readUser(username, w.users.Get(username)) }

// current reports whether nothing is left to read or deliver.
func (w *window) current() bool { return w.ordered && len(w.stale) == 0 && len(w.news) == 0 }

// all returns the messages in order.
func (w *window) all() []Message {
	list := make([]Message, 0, len(w.order))
	for _, e := range w.order {
		if e.ok && w.index[e.msg.ID] == e {
			list = append(list, w.message(e))
		}
	}
	return list
}

// take returns the messages read since the last call that still exist.
func (w *window) take() (list []Message) {
	w.refresh()
	for _, e := range w.news {
		e.fresh = false
		if e.ok && w.index[e.msg.ID] == e {
			list = append(list, w.message(e))
		}
	}
	clear(w.news)
	w.news = w.news[:0]
	return list
}
