package ydoc

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Notebooks may hold several cells with one nbformat id: a member of the room that reconnects with another history
// appends all cells again, and notebooks of format 4.4 keep such twins for ever. So each cell has an identity, by which
// this program names it: its nbformat id, or, where another cell of the notebook had that first, the id with a suffix.

const (
	// twinMark begins the suffix. nbformat allows it in no id.
	twinMark = "~"
	// FirstTwin is a suffix with which [Named] takes the nbformat id of several cells for the first that had it.
	FirstTwin = twinMark + "0"
	// replacedWithin is how long a cell may take over the identity of a cell that is deleted: a peer may insert the copy of
	// a cell before it deletes the cell, and of the copies that two peers make of one cell only one stays.
	replacedWithin = 10 * time.Second
)

// identify gives each cell of the new order its identity. It stays the same as long as the cell is there.
func (n *Notebook) identify() {
	holders := make(map[string]*node, len(n.order))
	for _, e := range n.order {
		if e.id != "" {
			holders[e.id] = e
		}
	}
	for _, e := range n.order {
		if e.id == "" && e.nbID != "" && holders[e.nbID] == nil {
			e.id = e.nbID
			holders[e.id] = e
		}
	}
	for i, e := range n.order {
		switch {
		case e.id == "":
			e.id, e.made = n.suffixed(e, i, holders), time.Now()
		case holders[e.nbID] == nil && n.replaces(e):
			e.id = e.nbID
		default:
			continue
		}
		holders[e.id] = e
	}
	for _, e := range n.order {
		if e.typ == nil {
			e.cell.ID = e.id
		} else if e.born && e.cell.ID != e.id {
			n.soil(e, fieldID)
		}
	}
}

// suffixed is an identity that no other cell has. It is the same in each replica of the room.
func (n *Notebook) suffixed(e *node, i int, holders map[string]*node) string {
	place := strconv.Itoa(i)
	if e.typ != nil {
		place = fmt.Sprint(crdt.PlaceOf(e.typ))
	}
	h := fnv.New32a()
	for {
		_, _ = h.Write([]byte(place)) // never fails
		id := e.nbID + twinMark + strconv.FormatUint(uint64(h.Sum32())%(36*36*36*36), 36)
		if holders[id] == nil && id != e.nbID+FirstTwin {
			return id
		}
	}
}

// Named returns the indexes of the cells that an id names: of the one with that identity, or of all with that nbformat id.
func Named(cells []Cell, id string) (at []int) {
	if id == "" {
		return nil
	}
	for i, c := range cells {
		switch {
		case c.ID == id && strings.Contains(id, twinMark), c.ID+FirstTwin == id:
			return []int{i}
		case c.ID == id, c.NBID == id:
			at = append(at, i)
		}
	}
	return at
}

// replaces reports whether a twin was made to take the place of the cell that had its nbformat id first.
func (n *Notebook) replaces(e *node) bool {
	return e.isTwin() && e.typ != nil && (e.isRecent() || n.replica.IsCopy(e.typ))
}

func (e *node) isRecent() bool { return e != nil && time.Since(e.made) < replacedWithin }

// isTwin reports whether another cell had the nbformat id of this one first.
func (e *node) isTwin() bool {
	return e != nil && e.nbID != "" && strings.HasPrefix(e.id, e.nbID+twinMark)
}

// identityOf is the identity of a cell, or, if it has none yet, its nbformat id.
func identityOf(cell *crdt.Type) (id string, ok bool) {
	if e := nodeOf(cell); e != nil && e.id != "" {
		return e.id, true
	}
	v, ok := cell.Lately(keyID)
	return stringValue(v), ok
}
