package crdt

import (
	"errors"

	ycrdt "github.com/skyterra/y-crdt"
)

// incoming is an item of an update being integrated. It replaces the library's item until then, because the library's
// algorithm can be made to take time quadratic in the size of an update: ours is the same, but counted.
type incoming struct {
	*ycrdt.Item
	work *work
}

// work bounds the cost of one update.
type work struct{ left int }

// maxWork is the largest cost of one update: items walked past to find a place, and kilobytes moved to split an item.
// It is a second at most. Only tests change it.
var maxWork = 5_000_000

var errTooCostly = errors.New("an update takes too long to integrate")

func (w *work) spend(n int) {
	if w.left -= n; w.left < 0 {
		panic(errTooCostly)
	}
}

// split is the function split, counted.
func (w *work) split(trans *ycrdt.Transaction, item *ycrdt.Item, off int) *ycrdt.Item {
	structs := *trans.Doc.Store.Clients[item.ID.Client]
	w.spend(1 + (len(structs)-indexOf(structs, item.ID.Clock))/64)
	return split(trans, item, off)
}

// errNothingMissing tells the library that an item can be integrated.
var errNothingMissing = errors.New("nothing is missing")

// GetMissing returns a client whose changes the item lacks. If nothing is missing it finds the item's neighbours and
// parent and returns an error (Yjs, Item.getMissing).
func (in *incoming) GetMissing(trans *ycrdt.Transaction, store *ycrdt.StructStore) (int, error) {
	item := in.Item
	lacks := func(id *ycrdt.ID) bool {
		return id != nil && id.Client != item.ID.Client && id.Clock >= ycrdt.GetState(store, id.Client)
	}
	parent, _ := item.Parent.(*ycrdt.ID)
	for _, id := range []*ycrdt.ID{item.Origin, item.RightOrigin, parent} {
		if lacks(id) {
			return id.Client, nil
		}
	}
	gone := false // whether a neighbour was collected, and with it the item's parent
	if item.Origin != nil {
		item.Left = in.ending(trans, *item.Origin)
		item.Origin = ycrdt.GetItemLastID(item.Left)
		gone = item.Left == nil
	}
	if item.RightOrigin != nil {
		item.Right = in.beginning(trans, *item.RightOrigin)
		item.RightOrigin = ycrdt.GetItemID(item.Right)
		gone = gone || item.Right == nil
	}
	switch {
	case gone:
		item.Parent = nil
	case item.Parent == nil && item.Left != nil:
		item.Parent, item.ParentSub = item.Left.Parent, item.Left.ParentSub
	case item.Parent == nil && item.Right != nil:
		item.Parent, item.ParentSub = item.Right.Parent, item.Right.ParentSub
	case parent != nil:
		item.Parent = nil
		if t := typeOf(holding(store, unitOf(parent))); t != nil {
			item.Parent = t
		}
	}
	return 0, errNothingMissing
}

// ending returns the item that ends with a unit, nil if it was collected.
func (in *incoming) ending(trans *ycrdt.Transaction, id ycrdt.ID) *ycrdt.Item {
	item := holding(trans.Doc.Store, unitOf(&id))
	if item == nil {
		return nil
	}
	if off := id.Clock - item.ID.Clock + 1; off < item.Length {
		in.work.split(trans, item, off)
	}
	return item
}

// beginning returns the item that begins with a unit, nil if it was collected.
func (in *incoming) beginning(trans *ycrdt.Transaction, id ycrdt.ID) *ycrdt.Item {
	item := holding(trans.Doc.Store, unitOf(&id))
	if item == nil {
		return nil
	}
	if off := id.Clock - item.ID.Clock; off > 0 {
		item = in.work.split(trans, item, off)
	}
	return item
}

// Integrate adds the item to the document, without its first off units, which are present already (Yjs,
// Item.integrate).
func (in *incoming) Integrate(trans *ycrdt.Transaction, off int) {
	item := in.Item
	if off > 0 {
		item.ID.Clock += off
		item.Left = in.ending(trans, ycrdt.GenID(item.ID.Client, item.ID.Clock-1))
		if item.Left != nil {
			item.Origin = item.Left.LastID()
		}
		item.Content = item.Content.Splice(off)
		item.Length -= off
	}
	if parent, ok := item.Parent.(*Type); ok {
		in.find(trans.Doc.Store, parent)
	}
	item.Integrate(trans, 0)
}

// find finds the item's place among concurrent items and sets its neighbours.
func (in *incoming) find(store *ycrdt.StructStore, parent *Type) {
	item := in.Item
	left, right := item.Left, item.Right
	if left != nil && left.Right == right || left == nil && right != nil && right.Left == nil {
		return // nothing in between
	}
	first := parent.Start
	if item.ParentSub != "" {
		first = parent.Map[item.ParentSub]
		for first != nil && first.Left != nil {
			in.work.spend(1)
			first = first.Left
		}
	}
	o := first
	if left != nil {
		o = left.Right
	}
	seen := map[*ycrdt.Item]int{} // the order in which they were passed
	since := 0                    // items passed from here on conflict with the item
	for n := 0; o != nil && o != right; n++ {
		in.work.spend(1)
		seen[o] = n
		if ycrdt.CompareIDs(item.Origin, o.Origin) {
			if o.ID.Client < item.ID.Client {
				left, since = o, n+1
			} else if ycrdt.CompareIDs(item.RightOrigin, o.RightOrigin) {
				break
			}
		} else {
			if o.Origin == nil {
				break
			}
			origin := holding(store, unitOf(o.Origin))
			if origin == nil {
				break
			}
			at, passed := seen[origin]
			if !passed {
				break
			}
			if at < since {
				left, since = o, n+1
			}
		}
		o = o.Right
	}
	item.Left, item.Right = left, first
	if left != nil {
		item.Right = left.Right
	}
}
