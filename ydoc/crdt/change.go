package crdt

import (
	"iter"

	ycrdt "github.com/skyterra/y-crdt"
)

// Change describes one transaction for readers of the document.
type Change struct {
	// Local is true for a transaction of this replica.
	Local bool
	// Touched are the types that the transaction changed, directly or below, each once.
	Touched []*Type
	// Carried are the authors of the text that the transaction carried over to a copy, if that is all it did.
	Carried []uint64
	trans   *ycrdt.Transaction
}

// begin collects the touched types of a transaction and drops their cached values. turn is the transaction's number.
func (c *Change) begin(trans *ycrdt.Transaction, turn int) {
	c.trans, c.Local, c.Touched = trans, trans.Local, c.Touched[:0]
	for typ := range trans.Changed {
		t, _ := typ.(*Type)
		for ; t != nil && t.touched != turn; t = t.Holder() {
			t.touched = turn
			t.read, t.json = false, nil
			c.Touched = append(c.Touched, t)
		}
	}
}

// end drops the references to types, which have shorter lives than the replica.
func (c *Change) end() {
	c.trans = nil
	clear(c.Touched)
	if cap(c.Touched) > 1024 {
		c.Touched = nil
	}
}

// Types yields the types that were changed directly, without new ones.
func (c *Change) Types() iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		for typ := range c.trans.Changed {
			if t, ok := typ.(*Type); ok && !yield(t) {
				return
			}
		}
	}
}

// Has reports whether a type was changed directly.
func (c *Change) Has(t *Type) bool {
	_, ok := c.trans.Changed[t]
	return ok
}

// Keys yields the keys of a map that were set or deleted.
func (c *Change) Keys(t *Type) iter.Seq[string] {
	return func(yield func(string) bool) {
		for key := range c.trans.Changed[t] {
			if !yield(keyOut(key.(string))) {
				return
			}
		}
	}
}

// Deleted reports whether anything was deleted.
func (c *Change) Deleted() bool { return len(c.trans.DeleteSet.Clients) > 0 }

// Removed lists the types that were deleted from a list.
func (c *Change) Removed(list *Type) (types []*Type) {
	eachDeleted(c.trans, func(item *ycrdt.Item) {
		if t := typeOf(item); t != nil && item.Parent == list {
			types = append(types, t)
		}
	})
	return types
}

// Clients lists the clients that added something.
func (c *Change) Clients() (clients []uint64) {
	for client, clock := range c.trans.AfterState {
		if clock != c.trans.BeforeState[client] {
			clients = append(clients, uint64(client))
		}
	}
	return clients
}

// Added is the content that a client added in one change: Units units of its clock from First on.
type Added struct {
	Client       uint64
	First, Units int
}

// Added returns the additions of each client.
func (c *Change) Added() (list []Added) {
	for _, client := range c.Clients() {
		first := c.trans.BeforeState[int(client)]
		list = append(list, Added{client, first, c.trans.AfterState[int(client)] - first})
	}
	return list
}

// Where returns the stretches of a text that belong to an addition, as start and end in UTF-16 units.
func (t *Type) Where(a Added) (stretches [][2]int) {
	at := 0
	for item := t.Start; item != nil; item = item.Right {
		if !visible(item) {
			continue
		}
		from := max(item.ID.Clock, a.First)
		if to := min(item.ID.Clock+item.Length, a.First+a.Units); uint64(item.ID.Client) == a.Client && from < to {
			stretches = append(stretches, [2]int{at + from - item.ID.Clock, at + to - item.ID.Clock})
		}
		at += item.Length
	}
	return stretches
}

// AddedBy yields the types that a client added, and the types to which it added something else.
func (c *Change) AddedBy(client uint64) iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		structs := *c.trans.Doc.Store.Clients[int(client)]
		for _, s := range structs[indexOf(structs, c.trans.BeforeState[int(client)]):] {
			item, ok := s.(*ycrdt.Item)
			if !ok {
				continue
			}
			t := typeOf(item)
			if t == nil {
				t, _ = item.Parent.(*Type)
			}
			if t != nil && !yield(t) {
				return
			}
		}
	}
}
