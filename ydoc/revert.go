package ydoc

import (
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// reverter undoes one step in a notebook: it decides about whole cells, [crdt.Revert.Run] does the rest.
type reverter struct {
	tx
	v     *crdt.Revert
	cells *crdt.Type
	step  *Step
	u     *Undone
}

// revert undoes a step. Others' later changes stay.
func (n *Notebook) revert(v *crdt.Revert, s *Step, u *Undone) {
	r := &reverter{tx: tx{v.Tx}, v: v, cells: n.cells, step: s, u: u}
	for _, t := range v.Cut() {
		if cell := topmost(t); cell != nil {
			id, _ := identityOf(cell)
			u.Cut = addID(u.Cut, id)
		}
	}
	hadCells := n.cells.Len() > 0
	for _, sw := range v.Swaps() {
		if !sw.Gone {
			r.moveBack(sw)
		}
	}
	r.spare()
	v.Run()
	for _, sw := range v.Swaps() {
		if t := v.Now(sw); t != nil && t.Holder() == n.cells && !v.Kept(t) {
			r.fitKeys(t)
		}
	}
	if hadCells && n.cells.Len() == 0 {
		r.newCell(n.cells, 0, NewCell{ID: NewID(), Type: Code}) // see Notebook.Edit
	}
}

// moveBack moves a cell back to its place before the step, with its current content, as a copy. A retyped cell is
// replaced by a copy too: its type is never changed in place.
func (r *reverter) moveBack(sw *crdt.Swap) {
	now := r.v.Now(sw)
	if now == nil || now.Holder() != r.cells || locked(now, KeyEditable) {
		r.u.Kept = addID(r.u.Kept, sw.Name) // another client deleted or replaced it
		return
	}
	if made := r.v.PutBack(sw, now); made != nil {
		r.copyCell(made, now)
		r.replaced(now, made)
	}
}

// spare finds the cells to leave as they are because others wrote in them or locked them.
func (r *reverter) spare() {
	goes := map[*crdt.Type]bool{}
	var written []*crdt.Type
	for _, t := range r.v.Added() {
		goes[t] = true
		switch {
		case t.Holder() != r.cells:
		case locked(t, KeyDeletable):
			r.keep(t)
		case r.writtenIn(t):
			written = append(written, t)
		}
	}
	for _, t := range written {
		r.keep(t)
		if !r.step.again {
			// The text that the step itself wrote there goes. If an undo restored the cell, its text was not the
			// step's.
			r.v.Open(t.Child(keySource, crdt.KindText))
		}
	}
	// A deleted cell is not restored beside a newer cell with its id.
	taken := map[string]bool{}
	for t := range r.cells.Entries() {
		if t != nil && !goes[t] {
			id, _ := identityOf(t)
			taken[id] = true
			if slices.Contains(r.step.cells, id) && locked(t, KeyEditable) {
				r.keep(t)
			}
		}
	}
	for _, t := range r.v.Deleted() {
		if t.Holder() != r.cells {
			continue
		}
		if id, ok := identityOf(t); ok && taken[id] {
			r.keep(t)
		}
	}
}

// writtenIn reports whether another client has characters in a cell's source.
func (r *reverter) writtenIn(cell *crdt.Type) bool {
	source := cell.Child(keySource, crdt.KindText)
	return source != nil && r.v.OthersIn(source)
}

// locked reports whether a cell's metadata locks it under a key. It does not read the whole map: [crdt.Type.Get]
// would cache that before the transaction changes it.
func locked(cell *crdt.Type, key string) bool {
	return Locks(cell.Child(keyMetadata, crdt.KindMap).Get(key))
}

// keep leaves a cell as it is.
func (r *reverter) keep(t *crdt.Type) {
	if r.v.Kept(t) {
		return
	}
	r.v.Keep(t)
	id, _ := identityOf(t)
	r.u.Kept = addID(r.u.Kept, id)
}

// fitKeys gives a cell the keys of its type: a later run's outputs are not part of the undone step, and would stay
// behind in a cell that gets its former type back.
func (r *reverter) fitKeys(cell *crdt.Type) {
	if stringValue(cell.Get(keyType)) != Code {
		for _, k := range []string{keyOutputs, keyCount, keyState} {
			r.Unset(cell, k)
		}
		return
	}
	if !cell.Has(keyOutputs) {
		r.SetType(cell, keyOutputs, crdt.KindArray)
	}
	if !cell.Has(keyCount) {
		r.Set(cell, keyCount, nil)
	}
}
