package ydocs

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// Document is a shared document on a server.
type Document struct {
	replica *crdt.Replica
	state   *crdt.Type
	body    body  // nil if the document is never read
	chat    *chat // nil unless it is a chat
}

// body reads and writes a type of document. Its methods are called with the document locked.
type body interface {
	// get reads the content. Writes that this requires are made as transactions.
	get() (any, error)
	// set replaces the content.
	set(x *crdt.Tx, content any) error
	// steps does what set would do to an empty document, in parts.
	steps(content any) []func(x *crdt.Tx) error
}

// Options receive a document's changes. The functions run with the document locked: they must only record their
// arguments.
type Options struct {
	// Source makes the document write as client 0, so that the same content has the same history.
	Source bool
	// Chats makes documents of the type "chat" chats, as on a server with jupyterlab-chat; without it they are texts.
	Chats bool
	// Update, if not nil, is called with each change, our own and those of Apply.
	Update func(update []byte)
	// Changed, if not nil, is called when the readable content of the document, or its state, was written to.
	Changed func()
}

// New makes an empty document of a room's type: "notebook", "chat", "blob", or anything else for a text.
func New(typ string, o Options) *Document {
	d := newDocument(o)
	d.state = d.replica.Root("state", crdt.KindMap)
	switch {
	case typ == "notebook":
		d.body = newNotebook(d)
	case typ == "chat" && o.Chats:
		d.chat = newChat(d)
		d.body = d.chat
	case typ == "blob":
		d.body = &blob{source: d.replica.Root("source", crdt.KindMap)}
	default:
		d.body = &text{source: d.replica.Root("source", crdt.KindText)}
	}
	return d
}

// NewTransient makes an empty document that is never read.
func NewTransient(o Options) *Document { return newDocument(o) }

func newDocument(o Options) *Document {
	d := &Document{}
	r := crdt.Options{Relay: true, ClientZero: o.Source, Changed: func(c *crdt.Change) {
		if d.chat != nil {
			d.chat.changed(c)
		}
		if o.Changed != nil && d.touches(c) {
			o.Changed()
		}
	}}
	if !o.Source {
		r.ClientID = serverID()
	}
	d.replica = crdt.New(r)
	d.replica.OnUpdate(o.Update)
	return d
}

// touches reports whether a transaction wrote to a part that is read.
func (d *Document) touches(c *crdt.Change) bool {
	for _, t := range c.Touched {
		switch t.Root() {
		case "state", "meta", "cells", "source", "messages", "users", "attachments", "metadata":
			return d.body != nil
		}
	}
	return false
}

// serverID returns a client id as pycrdt makes them: more than 32 bits, unlike browsers' ids.
func serverID() uint64 {
	var b [8]byte
	for {
		_, _ = rand.Read(b[:]) // never fails
		if id := binary.BigEndian.Uint64(b[:]) & wire.MaxInt; id > 1<<32 {
			return id
		}
	}
}

// ClientID returns the server's client id.
func (d *Document) ClientID() uint64 { return d.replica.ClientID() }

// Err returns why the document is broken, or nil.
func (d *Document) Err() error { return d.replica.Err() }

// Apply applies an update; see [crdt.Replica.Apply].
func (d *Document) Apply(update []byte) error { return d.replica.Apply(update) }

// Diff encodes the part that a peer with that state vector lacks; all of it for nil.
func (d *Document) Diff(stateVector []byte) ([]byte, error) { return d.replica.Diff(stateVector) }

// StateVector encodes the document's state vector.
func (d *Document) StateVector() ([]byte, error) { return d.replica.StateVector() }

// Content reads the document as the content of a file. It returns an error if jupyter_ydoc could not read it. If two
// cells share an id, one gets a new id, as a change of the document.
func (d *Document) Content() (content any, err error) {
	err = d.replica.Do("read the content", func() (err error) {
		content, err = d.body.get()
		return err
	})
	return content, err
}

// SetContent sets the content, in one transaction. With a notebook it removes all keys of the state but "dirty",
// "path" and "document_id".
func (d *Document) SetContent(content any) error {
	return d.transact("set the content", func(x *crdt.Tx) error { return d.body.set(x, content) })
}

// Steps returns the parts of SetContent for an empty document, one transaction per call: first a notebook's metadata,
// then one cell each.
func (d *Document) Steps(content any) []func() error {
	parts := d.body.steps(content)
	steps := make([]func() error, len(parts))
	for i, part := range parts {
		steps[i] = func() error { return d.transact("set the content", part) }
	}
	return steps
}

// State returns the map "state".
func (d *Document) State() (state map[string]any) {
	state = map[string]any{}
	d.replica.Read("read the state", func() {
		for k, v := range d.state.Object() {
			state[k] = v
		}
	})
	return state
}

// SetState sets a key of the map "state", even to its present value, in a separate transaction.
func (d *Document) SetState(key string, value any) error {
	return d.transact("set the state", func(x *crdt.Tx) error {
		x.Set(d.state, key, floats(value))
		return nil
	})
}

func (d *Document) transact(op string, f func(x *crdt.Tx) error) error {
	return d.replica.Do(op, func() (err error) {
		d.replica.Transact(func(x *crdt.Tx) { err = f(x) })
		return err
	})
}

// Act makes the document's own changes after a change, as for a chat, and reports whether there were any.
func (d *Document) Act() (acted bool) {
	if d.chat != nil {
		d.replica.Read("act", func() { acted = d.chat.act() })
	}
	return acted
}

// Equal compares two contents.
func Equal(a, b any) bool { return crdt.EqualValues(a, b) }

// floats converts the numbers of a plain value to floats, because pycrdt writes all numbers as floats.
func floats(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = floats(e)
		}
		return l
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = floats(e)
		}
		return m
	}
	return v
}

func errContent(want string, content any) error {
	return fmt.Errorf("the content is a %T, want %s", content, want)
}
