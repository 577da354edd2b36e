package ydoc

import (
	"context"
	"errors"

	crdt "github.com/skyterra/y-crdt"
)

// ErrClosed says that a subscription was closed.
var ErrClosed = errors.New("subscription is closed")

// Subscription gathers the changes of a document until its owner asks for them. However slow the owner is, the document
// never waits for it: changes that were not fetched yet become one.
type Subscription struct {
	d      *Doc
	ready  chan struct{}
	closed chan struct{}

	// Guarded by the document's mutex.
	since  Revision
	state  bool
	origin Origin
	cells  map[*shared]Origin
}

// maxOrigins is up to how many changed cells a subscription remembers who changed each.
const maxOrigins = 4_096

// Subscribe starts a subscription. It begins with the document as it is now and must be closed.
func (d *Doc) Subscribe() *Subscription {
	s := &Subscription{d: d, ready: make(chan struct{}, 1), closed: make(chan struct{}), cells: map[*shared]Origin{}}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		_ = d.guard("subscribe", func() error {
			s.since = d.model.changesSince(0).To
			return nil
		})
	}
	if d.subs == nil {
		d.subs = map[*Subscription]struct{}{}
	}
	d.subs[s] = struct{}{}
	if d.err != nil {
		s.wake()
	}
	return s
}

// Close ends the subscription and every Next that waits.
func (s *Subscription) Close() {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if _, open := s.d.subs[s]; open {
		delete(s.d.subs, s)
		close(s.closed)
	}
}

// Ready has a value when there may be changes to be taken.
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
		c, err := s.Take()
		if err != nil || !c.Empty() {
			return c, err
		}
	}
}

// Take returns what became different since the last Take, perhaps nothing, without waiting.
func (s *Subscription) Take() (c Changes, err error) {
	err = s.d.do("take changes", func() error {
		c = s.d.model.changesSince(s.since)
		s.since = c.To
		c.State, s.state = s.state, false
		c.Origin, s.origin = s.origin, Origin{}
		by := map[string]Origin{}
		for t, o := range s.cells {
			if t.node == nil {
				continue
			}
			sum := by[t.node.id]
			sum.add(o)
			by[t.node.id] = sum
		}
		clear(s.cells)
		for i := range c.Cells {
			c.Cells[i].Origin = by[c.Cells[i].ID]
		}
		return nil
	})
	if err != nil {
		s.wake() // a broken document stays so for every later call
	}
	return c, err
}

func (s *Subscription) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// publish tells the subscriptions what a transaction touched and who made it.
func (d *Doc) publish(trans *crdt.Transaction) {
	if len(d.subs) == 0 {
		return
	}
	origin := Origin{Ours: trans.Local, Others: !trans.Local}
	var added []int // clients that did
	for client, clock := range trans.AfterState {
		if clock != trans.BeforeState[client] {
			added = append(added, client)
			if !trans.Local {
				origin.add(Origin{Clients: []uint64{uint64(client)}})
			}
		}
	}
	if len(added) == 0 && len(trans.DeleteSet.Clients) == 0 {
		return
	}
	cells := map[*shared]Origin{}
	for typ := range trans.Changed {
		if t, ok := typ.(*shared); ok {
			if c := d.topmost(t); c != nil {
				o := origin
				if len(added) > 1 {
					o.Clients = nil // found below
				}
				cells[c] = o
			}
		}
	}
	for _, client := range added {
		who := Origin{Ours: trans.Local, Others: !trans.Local}
		if !trans.Local {
			who.Clients = []uint64{uint64(client)}
		}
		structs := *d.y.Store.Clients[client]
		for _, s := range structs[indexOf(structs, trans.BeforeState[client]):] {
			if item, ok := s.(*crdt.Item); ok {
				if c := d.topmostOf(item); c != nil {
					o := cells[c]
					o.add(who)
					cells[c] = o
				}
			}
		}
	}
	_, state := trans.Changed[d.y.Share[rootState]]
	for s := range d.subs {
		s.origin.add(origin)
		s.state = s.state || state
		for c, o := range cells {
			if _, known := s.cells[c]; known || len(s.cells) < maxOrigins {
				sum := s.cells[c]
				sum.add(o)
				s.cells[c] = sum
			}
		}
		s.wake()
	}
}

// topmost is the type right inside a root list that t is or stands in, a cell that is; nil for other places.
func (d *Doc) topmost(t *shared) *shared {
	for depth := 0; t.Item != nil && depth < maxNesting; depth++ {
		up := t.parent()
		if up == nil {
			return nil
		}
		if up.root == rootCells && up.Item == nil {
			return t
		}
		t = up
	}
	return nil
}

func (d *Doc) topmostOf(item *crdt.Item) *shared {
	t, ok := item.Parent.(*shared)
	if !ok {
		return nil
	}
	if t.root == rootCells && t.Item == nil {
		return sharedOf(item)
	}
	return d.topmost(t)
}
