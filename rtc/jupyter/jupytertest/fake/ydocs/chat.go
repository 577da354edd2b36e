package ydocs

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// chat is a chat (jupyterlab_chat 0.25.3, ychat.py).
type chat struct {
	d                                      *Document
	users, messages, attachments, metadata *crdt.Type
	raw                                    []*crdt.Type // messages to be given the server's time
}

func newChat(d *Document) *chat {
	return &chat{
		d:     d,
		users: d.replica.Root("users", crdt.KindMap), messages: d.replica.Root("messages", crdt.KindArray),
		attachments: d.replica.Root("attachments", crdt.KindMap), metadata: d.replica.Root("metadata", crdt.KindMap),
	}
}

// get encodes the file. Unlike the real server it does not keep the order of keys.
func (c *chat) get() (any, error) {
	b, err := json.MarshalIndent(map[string]any{
		"messages": c.messages.List(), "users": c.users.Object(), "attachments": c.attachments.Object(), "metadata": c.metadata.Object(),
	}, "", "  ")
	return string(b), err
}

func (c *chat) steps(content any) []func(*crdt.Tx) error {
	return []func(*crdt.Tx) error{func(x *crdt.Tx) error { return c.set(x, content) }}
}

// set treats a content that is not JSON as an empty chat.
func (c *chat) set(x *crdt.Tx, content any) error {
	s, ok := content.(string)
	if !ok {
		return errContent("a text", content)
	}
	var in struct {
		Users, Attachments, Metadata map[string]any
		Messages                     []map[string]any
	}
	if json.Unmarshal([]byte(s), &in) != nil {
		in.Users, in.Attachments, in.Metadata, in.Messages = nil, nil, nil, nil
	}
	x.Remove(c.messages, 0, c.messages.Len())
	for t, values := range map[*crdt.Type]map[string]any{c.users: in.Users, c.attachments: in.Attachments, c.metadata: in.Metadata} {
		for _, k := range t.Keys() {
			x.Unset(t, k)
		}
		for _, k := range slices.Sorted(maps.Keys(values)) {
			x.Set(t, k, floats(values[k]))
		}
	}
	for _, m := range in.Messages {
		t := x.InsertType(c.messages, c.messages.Len(), crdt.KindMap)
		for _, k := range slices.Sorted(maps.Keys(m)) {
			x.Set(t, k, floats(m[k]))
		}
	}
	return nil
}

// saved reports whether the document was saved: until then the server leaves messages unchanged.
func (c *chat) saved() bool { return c.d.state.Get("dirty") == false }

// changed records new messages.
func (c *chat) changed(change *crdt.Change) {
	if !change.Has(c.messages) {
		return
	}
	for t := range c.messages.Entries() {
		if t == nil || t.Data != nil {
			continue
		}
		t.Data = c
		if c.saved() && t.Get("raw_time") != false {
			c.raw = append(c.raw, t)
		}
	}
}

// act makes the server's own changes after a change: the chat gets an id, and each message its time.
func (c *chat) act() (acted bool) {
	if !c.metadata.Has("id") {
		c.d.replica.Transact(func(x *crdt.Tx) { x.Set(c.metadata, "id", uuid()) })
		acted = true
	}
	raw := c.raw
	c.raw = nil
	for _, t := range raw {
		if !t.Deleted() {
			c.d.replica.Transact(func(x *crdt.Tx) { c.stamp(x, t) })
			acted = true
		}
	}
	return acted
}

// stamp gives a message the server's time, and moves it after the older ones. It becomes a plain object, because the
// move removes the shared one.
func (c *chat) stamp(x *crdt.Tx, t *crdt.Type) {
	now := float64(time.Now().UnixMicro()) / 1e6
	x.Set(t, "time", now)
	x.Set(t, "raw_time", false)
	from, to, at := 0, 0, 0
	for e, v := range c.messages.Entries() {
		if e == t {
			from = at
		}
		at++
		when := v
		if e != nil {
			when = e.Get("time")
		} else if o, ok := v.(map[string]any); ok {
			when = o["time"]
		}
		if seconds(when) < now {
			to = at
		}
	}
	if from != to {
		m := t.Object()
		x.Remove(c.messages, from, 1)
		x.InsertValue(c.messages, min(to, c.messages.Len()), floats(m))
	}
}

func seconds(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}
