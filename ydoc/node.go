package ydoc

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// node is an entry of the cells list and its cached content.
type node struct {
	typ   *crdt.Type // nil for an entry that is not a shared map
	id    string     // its identity, see identify
	nbID  string     // its nbformat id
	cell  Cell
	stale fields // parts of cell to read again
	born  bool   // whether cell has a revision yet
	past  *past  // older sources
	parts partRevisions

	queued bool      // whether it is in the notebook's stale list
	made   time.Time // when this replica copied it or gave it an id with a suffix
}

// nodeOf returns the node of a cell's shared map, nil for other types.
func nodeOf(t *crdt.Type) *node {
	e, _ := t.Data.(*node)
	return e
}

// refresh reads the stale parts again and gives the cell a new revision if they differ.
func (e *node) refresh(n *Notebook) {
	if e.stale == 0 {
		return
	}
	stale := e.stale
	e.stale = 0
	next := e.cell
	next.read(e.typ.Get, stale)
	next.Fault = next.fault(e.typ)
	next.ID = e.id
	changed := allFields
	if e.born {
		changed = next.differs(&e.cell, stale)
	}
	if next.Fault != e.cell.Fault {
		changed |= fieldType
	}
	if changed == 0 {
		next.Revision = e.cell.Revision
		e.cell = next
		return
	}
	next.Revision = n.advance()
	e.cell, e.born = next, true
	e.parts.note(changed, next.Revision)
	if changed&fieldSource != 0 {
		n.remember(e)
	}
}

// read reads parts of a cell from a shared map or a plain object.
func (c *Cell) read(get func(key string) any, parts fields) {
	if parts&fieldID != 0 {
		c.NBID = stringValue(get(keyID))
	}
	if parts&fieldType != 0 {
		c.Type = stringValue(get(keyType))
	}
	if parts&fieldSource != 0 {
		c.Source = stringValue(get(keySource))
	}
	if parts&fieldMetadata != 0 {
		c.Metadata = objectOr(get(keyMetadata))
	}
	if parts&(fieldOutputs|fieldType) != 0 {
		c.Outputs = nil
		if c.Type == Code {
			c.Outputs = outputsValue(get(keyOutputs))
		}
	}
	if parts&fieldCount != 0 {
		c.ExecutionCount = countValue(get(keyCount))
	}
	if parts&fieldState != 0 {
		c.ExecutionState = stringValue(get(keyState))
	}
	if parts&fieldAttachments != 0 {
		c.Attachments = objectValue(get(keyAttachments))
		if len(c.Attachments) == 0 {
			c.Attachments = nil
		}
	}
}

// fault describes what is wrong with the shape of a cell's shared map, as jupyter_ydoc and JupyterLab see it.
func (c *Cell) fault(t *crdt.Type) string {
	switch {
	case !t.Has(keyMetadata):
		return "it has no metadata: the server cannot save the notebook"
	case c.Type == Code && !t.Has(keyOutputs):
		return "it has no outputs: the server cannot save the notebook"
	case t.Child(keyMetadata, crdt.KindMap) == nil:
		return "its metadata is not a shared map"
	case c.Type == Code && t.Child(keyOutputs, crdt.KindArray) == nil:
		return "its outputs are not a shared array"
	case t.Child(keySource, crdt.KindText) == nil:
		return "its source is not a shared text"
	case c.Type != Code && c.Type != Markdown && c.Type != Raw:
		return "its cell_type is not one of nbformat's"
	}
	return ""
}

// plainNode makes a node for an entry that is a plain value instead of a shared map. It can be read, moved and
// deleted, but not edited.
func plainNode(v any) *node {
	o := objectValue(v)
	c := Cell{Fault: "it is a plain value: the server cannot save the notebook"}
	c.read(func(key string) any { return o[key] }, allFields)
	return &node{nbID: c.NBID, cell: c}
}

// replaced notes that the copy made has taken the place and the identity of old.
func (x tx) replaced(old, made *crdt.Type) {
	id, _ := identityOf(old)
	made.Data = &node{typ: made, id: id, made: time.Now()}
	x.Replaced(old, made, id)
}

// A notebook may hold several cells with one nbformat id: a client that reconnects with another history appends all
// cells again, and notebooks of format 4.4 keep such twins for good. So each cell has an identity within this
// program: its nbformat id, or that id with a suffix if another cell of the notebook had it first.

const (
	// twinMark begins the suffix. nbformat does not allow it in ids.
	twinMark = "~"
	// FirstTwin is the suffix with which [Named] picks the first of several cells with one nbformat id.
	FirstTwin = twinMark + "0"
	// replacedWithin is how long a cell may take over the identity of a deleted cell: a peer may insert a copy before
	// it deletes the original, and of two peers' copies of one cell only one stays.
	replacedWithin = 10 * time.Second
)

// identify gives each cell of the new order its identity, which stays the same for the life of the cell.
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

// suffixed returns an unused identity. It is the same in each replica of the room.
func (n *Notebook) suffixed(e *node, i int, holders map[string]*node) string {
	place := strconv.Itoa(i)
	if e.typ != nil {
		place = fmt.Sprint(crdt.PlaceOf(e.typ))
	}
	h := fnv.New32a()
	for {
		_, _ = h.Write([]byte(place)) // never fails
		if id := e.nbID + twinMark + strconv.FormatUint(uint64(h.Sum32())%(36*36*36*36), 36); holders[id] == nil && id != e.nbID+FirstTwin {
			return id
		}
	}
}

// Exactly returns an id that [Named] resolves to this cell and not to its twins.
func (c *Cell) Exactly() string {
	if strings.Contains(c.ID, twinMark) {
		return c.ID
	}
	return c.ID + FirstTwin
}

// TwinOf returns the nbformat id that the cell with an identity shared with an earlier one; "" if it shared none.
func TwinOf(id string) string {
	of, _, twin := strings.Cut(id, twinMark)
	return lo.Ternary(twin, of, "")
}

// Named returns the indexes of the cells that an id refers to: the one with that identity, or all with that nbformat
// id.
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

// replaces reports whether a twin was made to replace the cell that first had its nbformat id.
func (n *Notebook) replaces(e *node) bool {
	return e.isTwin() && e.typ != nil && (e.isRecent() || n.replica.IsCopy(e.typ))
}

func (e *node) isRecent() bool { return e != nil && time.Since(e.made) < replacedWithin }

// isTwin reports whether another cell had the nbformat id of this one first.
func (e *node) isTwin() bool {
	return e != nil && e.nbID != "" && strings.HasPrefix(e.id, e.nbID+twinMark)
}

// identityOf returns the identity of a cell, or its nbformat id if it has none yet.
func identityOf(cell *crdt.Type) (id string, ok bool) {
	if e := nodeOf(cell); e != nil && e.id != "" {
		return e.id, true
	}
	v, ok := cell.Lately(keyID)
	return stringValue(v), ok
}
