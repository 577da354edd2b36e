package crdt

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	ycrdt "github.com/skyterra/y-crdt"
)

// The library reports faults by printing to stdout through two variables. This package must not write to stdout, and
// a fault that is only printed leaves a silently incomplete document, so both now panic, which the guard around every
// call turns into [ErrBroken]. They are set before any document can exist and never again.
func init() {
	ycrdt.Logf = func(format string, a ...interface{}) { panic(libraryFault(fmt.Sprintf(format, a...))) }
	ycrdt.Log = func(a ...interface{}) { panic(libraryFault(fmt.Sprint(a...))) }
}

// libraryFault is a fault reported by the library.
type libraryFault string

func (f libraryFault) Error() string { return "y-crdt: " + string(f) }

// Flags of a [ycrdt.Item].
const (
	// itemCountable: the content counts towards the length of its parent.
	itemCountable = 2
	// itemDeletedHere is our own flag, unused by the library: an edit, undo or redo of this replica deleted the item.
	itemDeletedHere = 16
)

// unit identifies one unit of a client's content, like the library's ID, which is ten times as large.
type unit struct{ client, clock int }

func unitOf(id *ycrdt.ID) unit { return unit{id.Client, id.Clock} }

// unitIf returns the unit of an ID, or nil.
func unitIf(id *ycrdt.ID) *unit {
	if id == nil {
		return nil
	}
	return &unit{id.Client, id.Clock}
}

// span is a range of clocks.
type span struct{ clock, length int }

// stretch is a range of units of one client.
type stretch struct {
	client int
	span
}

func stretchOf(item *ycrdt.Item) stretch {
	return stretch{item.ID.Client, span{item.ID.Clock, item.Length}}
}

func (s stretch) holds(u unit) bool {
	return s.client == u.client && s.clock <= u.clock && u.clock < s.clock+s.length
}

// indexOf finds the struct that holds a clock, which must be one of the client's.
func indexOf(structs []ycrdt.IAbstractStruct, clock int) int {
	i, err := ycrdt.FindIndexSS(structs, clock)
	if err != nil {
		panic(fmt.Errorf("clock %d: %w", clock, err))
	}
	return i
}

// structsIn counts the structs of a store.
func structsIn(store *ycrdt.StructStore) (n int) {
	for _, structs := range store.Clients {
		n += len(*structs)
	}
	return n
}

// holding returns the item that holds a unit, which must be one of the client's; nil if it was collected.
func holding(store *ycrdt.StructStore, at unit) *ycrdt.Item {
	structs := *store.Clients[at.client]
	item, _ := structs[indexOf(structs, at.clock)].(*ycrdt.Item)
	return item
}

// lookup returns the item that holds a unit, or its latest replacement, and the unit's offset in it.
func lookup(store *ycrdt.StructStore, at unit) (item *ycrdt.Item, off int) {
	for {
		if at.clock < 0 || at.clock >= ycrdt.GetState(store, at.client) {
			return nil, 0
		}
		item := holding(store, at)
		if item == nil {
			return nil, 0
		}
		off = at.clock - item.ID.Clock
		if item.Redone == nil {
			return item, off
		}
		at = unit{item.Redone.Client, item.Redone.Clock + off}
	}
}

// itemAt returns the item that begins with exactly that unit, deleted or not.
func itemAt(store *ycrdt.StructStore, at unit) *ycrdt.Item {
	if store.Clients[at.client] == nil {
		return nil
	}
	item := holding(store, at)
	if item == nil || unitOf(&item.ID) != at {
		return nil
	}
	return item
}

// itemsIn returns the items of a span, splitting them at its ends. Bare gaps are omitted.
func itemsIn(trans *ycrdt.Transaction, client int, sp span) (items []*ycrdt.Item) {
	structs := trans.Doc.Store.Clients[client]
	if structs == nil {
		return nil
	}
	end := sp.clock + sp.length
	for i := indexOf(*structs, sp.clock); i < len(*structs) && (*structs)[i].GetID().Clock < end; i++ {
		item, ok := (*structs)[i].(*ycrdt.Item)
		if !ok {
			continue
		}
		if item.ID.Clock < sp.clock {
			split(trans, item, sp.clock-item.ID.Clock)
			continue
		}
		if item.ID.Clock+item.Length > end {
			split(trans, item, end-item.ID.Clock)
		}
		items = append(items, item)
	}
	return items
}

// latest yields the live items of some units, or their replacements.
func latest(trans *ycrdt.Transaction, todo ...stretch) iter.Seq[*ycrdt.Item] {
	return func(yield func(*ycrdt.Item) bool) {
		for len(todo) > 0 {
			s := todo[0]
			todo = todo[1:]
			for _, item := range itemsIn(trans, s.client, s.span) {
				switch {
				case item.Redone != nil:
					todo = append(todo, stretch{item.Redone.Client, span{item.Redone.Clock, item.Length}})
				case !item.Deleted() && !yield(item):
					return
				}
			}
		}
	}
}

// itemsOf returns the items of some spans, in the order of the clients.
func itemsOf(trans *ycrdt.Transaction, spans map[int][]span) (items []*ycrdt.Item) {
	for _, client := range slices.Sorted(maps.Keys(spans)) {
		for _, sp := range spans[client] {
			items = append(items, itemsIn(trans, client, sp)...)
		}
	}
	return items
}

// eachDeleted calls f with every item that the transaction deleted, unless its content is gone already.
func eachDeleted(trans *ycrdt.Transaction, f func(item *ycrdt.Item)) {
	for client, items := range trans.DeleteSet.Clients {
		structs := *trans.Doc.Store.Clients[client]
		for _, d := range items {
			for i := indexOf(structs, d.Clock); i < len(structs) && structs[i].GetID().Clock < d.Clock+d.Length; i++ {
				if item, ok := structs[i].(*ycrdt.Item); ok && item.Deleted() {
					f(item)
				}
			}
		}
	}
}

// split cuts an item in two and returns the right part.
func split(trans *ycrdt.Transaction, item *ycrdt.Item, off int) *ycrdt.Item {
	structs := trans.Doc.Store.Clients[item.ID.Client]
	i, err := ycrdt.FindIndexSS(*structs, item.ID.Clock)
	if err != nil {
		panic(fmt.Errorf("item %d:%d is not in the store: %w", item.ID.Client, item.ID.Clock, err))
	}
	right := ycrdt.SplitItem(trans, item, off)
	right.Info |= item.Info & itemDeletedHere
	*structs = slices.Insert(*structs, i+1, ycrdt.IAbstractStruct(right))
	return right
}

// rightOf returns the item right of unit off of an item, which is split if that is not its last unit.
func rightOf(trans *ycrdt.Transaction, item *ycrdt.Item, off int) *ycrdt.Item {
	if off+1 < item.Length {
		return split(trans, item, off+1)
	}
	return item.Right
}

// visible reports whether an item counts towards the length of its list.
func visible(item *ycrdt.Item) bool { return !item.Deleted() && item.Countable() }
