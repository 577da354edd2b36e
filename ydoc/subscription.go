package ydoc

import (
	"context"
	"sync"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Subscription collects the changes of a document until its owner takes them. The document never waits for a slow
// owner: changes not yet taken are combined.
type Subscription struct {
	d      *Doc
	ready  chan struct{}
	closed chan struct{}
	once   sync.Once // closes closed

	// Guarded by the document's mutex.
	since  Revision
	state  bool
	origin Origin
	cells  map[*crdt.Type]Origin
	follow func(Changes) // see Notebook.Follow; nil if the owner takes the changes
	noted  bool          // with follow: a change is still to be delivered
}

// maxOrigins is the number of changed cells for which a subscription remembers the origin.
const maxOrigins = 4_096

// Subscribe starts a subscription. It starts at the document's present content and must be closed.
func (d *Doc) Subscribe() *Subscription {
	s := &Subscription{d: d, ready: make(chan struct{}, 1), closed: make(chan struct{}), cells: map[*crdt.Type]Origin{}}
	if err := d.do("subscribe", func() error {
		d.subs[s] = struct{}{}
		s.since = d.model.changesSince(0).To
		return nil
	}); err != nil {
		s.wake() // so that Next returns the error
	}
	return s
}

// Close ends the subscription and all pending calls of Next.
func (s *Subscription) Close() {
	s.d.read("unsubscribe", func() { delete(s.d.subs, s) })
	s.once.Do(func() { close(s.closed) })
}

// Ready receives a value when there may be changes to take.
func (s *Subscription) Ready() <-chan struct{} { return s.ready }

// Next waits for changes and takes them. It returns [ErrClosed] after Close, the document's error once that is broken,
// and ctx's when that ends.
func (s *Subscription) Next(ctx context.Context) (Changes, error) {
	for {
		select {
		case <-s.closed:
			return Changes{}, ErrClosed
		case <-ctx.Done():
			return Changes{}, ctx.Err()
		case <-s.ready:
		}
		if c, err := s.Take(); err != nil || !c.Empty() {
			return c, err
		}
	}
}

// Take returns the changes since the last Take, possibly none, without waiting.
func (s *Subscription) Take() (c Changes, err error) {
	err = s.d.do("take changes", func() error {
		c = s.take()
		return nil
	})
	if err != nil {
		s.wake() // a broken document fails every later call too
	}
	return c, err
}

// take is Take with the document locked.
func (s *Subscription) take() Changes {
	c := s.d.model.changesSince(s.since)
	s.since = c.To
	c.State, s.state = s.state, false
	c.Origin, s.origin = s.origin, Origin{}
	by := map[string]Origin{}
	for t, o := range s.cells {
		if e := nodeOf(t); e != nil {
			sum := by[e.id]
			sum.add(o)
			by[e.id] = sum
		}
	}
	clear(s.cells)
	for i := range c.Cells {
		c.Cells[i].Origin = by[c.Cells[i].ID]
	}
	return c
}

func (s *Subscription) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// wakeAll wakes every subscriber because the document broke.
func (d *Doc) wakeAll() {
	for s := range d.subs {
		s.wake()
	}
}

// publish passes on to the subscriptions which cells a transaction changed, and its origin.
func (d *Doc) publish(c *crdt.Change) {
	if len(d.subs) == 0 {
		return
	}
	clients := c.Clients() // clients that added something
	if len(clients) == 0 && !c.Deleted() {
		return
	}
	origin := originOf(c, clients...)
	cells := map[*crdt.Type]Origin{}
	for t := range c.Types() {
		if cell := topmost(t); cell != nil {
			o := origin
			if len(clients) > 1 {
				o.Clients = nil // found below
			}
			cells[cell] = o
		}
	}
	for _, client := range clients {
		who := originOf(c, client)
		for t := range c.AddedBy(client) {
			if cell := topmost(t); cell != nil {
				o := cells[cell]
				o.add(who)
				cells[cell] = o
			}
		}
	}
	state := c.Has(d.state)
	for s := range d.subs {
		s.note(origin, state, cells)
	}
}

// originOf returns the origin of a transaction to which clients added something.
func originOf(c *crdt.Change, clients ...uint64) Origin {
	if c.Local && c.Carried == nil {
		return Origin{Ours: true}
	}
	if c.Carried != nil {
		clients = c.Carried
	}
	o := Origin{}
	o.add(Origin{Others: true, Clients: clients})
	return o
}

// note adds a transaction to the changes not yet taken.
func (s *Subscription) note(origin Origin, state bool, cells map[*crdt.Type]Origin) {
	s.origin.add(origin)
	s.state = s.state || state
	s.noted = true
	for t, o := range cells {
		if _, known := s.cells[t]; known || len(s.cells) < maxOrigins {
			sum := s.cells[t]
			sum.add(o)
			s.cells[t] = sum
		}
	}
	s.wake()
}

// maxTraced bounds the search for the cell around a type. Notebooks nest four deep.
const maxTraced = 200

// topmost returns the direct child of the list of cells that t is or is in; nil elsewhere.
func topmost(t *crdt.Type) *crdt.Type {
	for range maxTraced {
		up := t.Holder()
		if up == nil {
			return nil
		}
		if up.Root() == rootCells {
			return t
		}
		t = up
	}
	return nil
}

// A Batch is the change that one edit, or one update of a peer, made to a notebook.
type Batch struct {
	// Changes is not Complete in the first batch, and if the deleted cells are not all known: Now then has all cells,
	// in order.
	Changes
	// Now are the cells of Changes, in the same order, with their new content.
	Now []Cell
	// IDs are the ids of all cells in order, if the order changed.
	IDs []string
	// Reloads is [Doc.Reloads].
	Reloads uint64
}

// Follow calls f with the notebook as it is, and then after every change of its content: after each edit and each
// applied update. So the changes of different clients stay separate, unlike in a [Subscription] with a slow owner. f
// is called with the document locked: it must be short and must not use the notebook. It may keep the batch. If f
// returns true, the next batch has the whole notebook again.
func (n *Notebook) Follow(f func(Batch) (lost bool)) (stop func()) {
	s := n.Subscribe()
	n.read("follow", func() {
		lost := true
		s.follow = func(c Changes) {
			if c.State = false; c.Empty() {
				return
			}
			if lost {
				c = n.changesSince(0)
			}
			lost = f(n.batch(c))
		}
		s.take()
		s.noted = false
		s.follow(Changes{})
	})
	return s.Close
}

// batch makes the batch for changes.
func (n *Notebook) batch(c Changes) Batch {
	b := Batch{Changes: c, Reloads: n.reloads.count, Now: make([]Cell, len(c.Cells))}
	for i, cell := range c.Cells {
		b.Now[i] = n.order[cell.Index].cell
	}
	if c.Order {
		b.IDs = make([]string, len(n.order))
		for i, e := range n.order {
			b.IDs[i] = e.id
		}
	}
	return b
}

// settled delivers the latest changes to the followers.
func (d *Doc) settled() {
	for s := range d.subs {
		if s.follow != nil && s.noted {
			s.noted = false
			s.follow(s.take())
		}
	}
}
