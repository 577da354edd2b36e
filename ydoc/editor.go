package ydoc

import (
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Edit changes the notebook in one transaction; errors include name. fn stages changes through the methods of e,
// which check them against the notebook as staged so far. If fn or one of those methods fails, nothing is written,
// even if fn swallows that error. Otherwise all changes are written at once, as one update.
//
// fn runs with the document locked, so the content that it reads through e cannot change before it writes. It must be
// short and must use only e: the methods of the notebook would deadlock. e must not be used after fn has returned. A
// panic in fn breaks the document.
//
// A notebook is never left without cells, because every open tab would then add one: if an edit deletes the last
// cell, an empty code cell is added.
func (n *Notebook) Edit(name string, fn func(e *Editor) error) error {
	_, err := n.edit(name, false, fn)
	return err
}

// Record is [Notebook.Edit] for an edit that can be undone: it returns the step. The step is nil if the edit changed
// nothing, or only outputs, execution count and state, as a run does. Changing a locked cell is a [*LockedError].
func (n *Notebook) Record(name string, fn func(e *Editor) error) (*Step, error) {
	return n.edit(name, true, fn)
}

func (n *Notebook) edit(name string, record bool, fn func(e *Editor) error) (*Step, error) {
	e := &Editor{n: n, drafts: map[*node]*draft{}, locks: record}
	defer func() { e.n = nil }()
	var edits []CellEdit
	s, err := n.Doc.edit(name, &e.staging, func() (bool, error) {
		n.arrange()
		if err := fn(e); err != nil {
			return false, err
		}
		e.neverEmpty()
		if record && e.authored && e.err == nil {
			edits = effects{e}.edits()
		}
		return record && e.authored, nil
	})
	if s != nil {
		s.edits = edits
	}
	return s, err
}

// Editor stages changes of a notebook; see [Notebook.Edit]. Indexes count from 0 and refer to the order after the
// changes staged so far.
type Editor struct {
	staging
	n        *Notebook
	authored bool // whether any operation counts as an author's
	starts   bool // whether any operation starts a run
	locks    bool // whether locked cells are protected
	touches  Touches
	drafts   map[*node]*draft

	order []*draft          // nil while no cell was added, removed or moved
	byID  map[string]*draft // likewise
}

// draft is a cell as staged.
type draft struct {
	node *node      // nil for a new cell
	typ  *crdt.Type // the live map; for a new or replaced cell, set once written
	id   string
	kind string

	moved   bool
	source  string
	read    bool // whether source is set
	streams int  // bytes staged for its stream outputs
}

// stage adds an operation on a cell (nil for a new cell), to be run in order once everything has been checked.
func (e *Editor) stage(d *draft, op func(x tx)) {
	e.authored = true
	touch(e, d)
	e.stageRun(op)
}

// touch records a cell for Touched.
func touch(e *Editor, d *draft) {
	if d != nil && d.node != nil && !slices.Contains(e.touches.Cells, d.id) {
		e.touches.Cells = append(e.touches.Cells, d.id)
	}
}

// stageReplacing is [Editor.stage] for operations that delete the texts of a cell, also when a copy replaces it.
func stageReplacing(e *Editor, d *draft, op func(x tx)) {
	if d.node != nil && !slices.Contains(e.touches.Replaced, d.id) {
		e.touches.Replaced = append(e.touches.Replaced, d.id)
	}
	e.stage(d, op)
}

// Touches lists the effects of an edit that may disturb people in the notebook. Cells are listed by id, in the order
// of the edit.
type Touches struct {
	// Cells are the existing cells that are written, retyped, moved, deleted or started.
	Cells []string
	// Replaced are those of Cells whose texts are deleted, also when a copy takes their place: a key typed in one
	// before its tab has received the change may be lost, see [Editor.Move].
	Replaced []string
	// Writes is true if the edit does more than record outputs or the end of a run.
	Writes bool
	// Metadata returns the metadata of a cell as they are before the edit; nil for a new cell.
	Metadata func(id string) map[string]any
}

// Touched returns the effects of the edit so far.
func (e *Editor) Touched() Touches {
	t := e.touches
	t.Writes = e.authored || e.starts
	t.Metadata = func(id string) map[string]any {
		if i, there := e.n.index[id]; there {
			e.n.order[i].refresh(e.n)
			return e.n.order[i].cell.Metadata
		}
		return nil
	}
	return t
}

// stageRun is stage for the writes of a run, which alone do not make an undo step.
func (e *Editor) stageRun(op func(x tx)) { e.ops = append(e.ops, op) }

// draftOf returns the draft of a node of the live order.
func (e *Editor) draftOf(nd *node) *draft {
	d := e.drafts[nd]
	if d == nil {
		d = &draft{node: nd, typ: nd.typ, id: nd.id}
		if nd.typ != nil {
			d.kind = stringValue(nd.typ.Get(keyType))
		} else {
			d.kind = nd.cell.Type
		}
		e.drafts[nd] = d
	}
	return d
}

// structure makes the order explicit, once cells are added, removed or moved.
func (e *Editor) structure() {
	if e.byID != nil {
		return
	}
	e.order = make([]*draft, len(e.n.order))
	e.byID = make(map[string]*draft, len(e.n.order))
	for i, nd := range e.n.order {
		d := e.draftOf(nd)
		e.order[i] = d
		e.byID[d.id] = d
	}
}

// find returns the draft of a cell.
func (e *Editor) find(id string) (*draft, error) {
	if e.byID != nil {
		if d := e.byID[id]; d != nil {
			return d, nil
		}
	} else if i, ok := e.n.index[id]; ok {
		return e.draftOf(e.n.order[i]), nil
	}
	return nil, fmt.Errorf("%w: %q; list the cells again, it may have been deleted", ErrNotFound, id)
}

// editable returns the draft of a cell whose parts can be edited.
func (e *Editor) editable(id string) (*draft, error) {
	d, err := e.find(id)
	if err == nil && d.node != nil && d.node.typ == nil {
		return nil, crdt.Invalidf("cell %q is malformed: %s; delete it and insert it again", id, d.node.cell.Fault)
	}
	return d, err
}

// unlocked returns an error if a cell's metadata forbids an author to change it or to delete it.
func (e *Editor) unlocked(d *draft, key string) error {
	if !e.locks || d.node == nil {
		return nil
	}
	d.node.refresh(e.n)
	if !Locks(d.node.cell.Metadata[key]) {
		return nil
	}
	return e.fail(&LockedError{ID: d.id, Index: e.position(d), Key: key})
}

// code returns the draft of a code cell.
func (e *Editor) code(id string) (*draft, error) {
	d, err := e.editable(id)
	if err == nil && d.kind != Code {
		return nil, crdt.Invalidf("cell %q is a %s cell, only code cells have outputs", id, d.kind)
	}
	return d, err
}

func (e *Editor) position(d *draft) int {
	if e.byID == nil {
		return e.n.index[d.id]
	}
	return slices.Index(e.order, d)
}

// Len is the number of cells.
func (e *Editor) Len() int {
	if e.byID != nil {
		return len(e.order)
	}
	return len(e.n.order)
}

// Index returns the index of the cell with that id.
func (e *Editor) Index(id string) (int, bool) {
	d, err := e.find(id)
	if err != nil {
		return 0, false
	}
	return e.position(d), true
}

// IDAt returns the id of the cell at index i.
func (e *Editor) IDAt(i int) (string, bool) {
	switch {
	case i < 0 || i >= e.Len():
		return "", false
	case e.byID != nil:
		return e.order[i].id, true
	}
	return e.n.order[i].id, true
}

// Cell returns the cell with that id. Its id, type and source are as staged; its other parts are as before the edit,
// or empty for an inserted cell.
func (e *Editor) Cell(id string) (Cell, bool) {
	d, err := e.find(id)
	if err != nil {
		return Cell{}, false
	}
	var c Cell
	if d.node != nil {
		d.node.refresh(e.n)
		c = d.node.cell
	} else {
		c.Metadata = map[string]any{}
	}
	c.ID, c.Type, c.Source = d.id, d.kind, e.sourceOf(d)
	return c, true
}

// CellAt is [Editor.Cell] by index.
func (e *Editor) CellAt(i int) (Cell, bool) {
	id, ok := e.IDAt(i)
	if !ok {
		return Cell{}, false
	}
	return e.Cell(id)
}

// Metadata returns the notebook's metadata as it was before the edit.
func (e *Editor) Metadata() map[string]any {
	return objectOr(e.n.meta.Get(keyMetadata))
}

func (e *Editor) sourceOf(d *draft) string {
	if !d.read {
		d.read = true
		switch {
		case d.typ != nil:
			d.source = stringValue(d.typ.Get(keySource))
		case d.node != nil:
			d.source = d.node.cell.Source
		}
	}
	return d.source
}
