package ydoc

import (
	"cmp"
	"slices"
)

// Changes is the difference between two revisions of a document. It describes the current state only, not the steps
// in between.
type Changes struct {
	// From and To are the revisions.
	From, To Revision
	// Complete is false if From is no longer remembered or belongs to another document: read everything again. Cells
	// then lists every cell, and Deleted is empty.
	Complete bool
	// Cells are the added and changed cells, in notebook order.
	Cells []CellChange
	// Deleted are the ids of the deleted cells.
	Deleted []string
	// Order is true if cells were added, deleted or moved.
	Order bool
	// Metadata is true if the notebook's own metadata or format changed.
	Metadata bool
	// Text is true if the text of a text document changed.
	Text bool
	// State is true if the state map, which is not content, was written to. Only subscriptions set it.
	State bool
	// Origin says who made changes. Only subscriptions set it.
	Origin Origin
}

// Empty reports whether nothing changed.
func (c *Changes) Empty() bool {
	return c.Complete && len(c.Cells) == 0 && len(c.Deleted) == 0 && !c.Order && !c.Metadata && !c.Text && !c.State
}

// CellChange is a cell that was added or changed.
type CellChange struct {
	ID       string
	Index    int
	Revision Revision
	// New is true for an added cell.
	New bool
	// Source, Outputs, Run and Metadata say which parts changed: Run is the execution count and state, Metadata
	// everything else.
	Source, Outputs, Run, Metadata bool
	// Origin says who made changes to the cell. Only subscriptions set it.
	Origin Origin
}

// Origin says who made changes: this replica, or others. A deletion carries no client id, so Others may be true while
// Clients is empty.
type Origin struct {
	Ours, Others bool
	// Clients are the ids of the other clients that added something, ascending.
	Clients []uint64
}

func (o *Origin) add(p Origin) {
	o.Ours = o.Ours || p.Ours
	o.Others = o.Others || p.Others
	for _, c := range p.Clients {
		if i, ok := slices.BinarySearch(o.Clients, c); !ok {
			o.Clients = slices.Insert(slices.Clip(o.Clients), i, c)
		}
	}
}

// partRevisions holds the revision at which each part of a cell last changed.
type partRevisions struct {
	born                           Revision
	source, outputs, run, metadata Revision
}

func (p *partRevisions) note(parts fields, r Revision) {
	p.born = cmp.Or(p.born, r)
	if parts&fieldSource != 0 {
		p.source = r
	}
	if parts&fieldOutputs != 0 {
		p.outputs = r
	}
	if parts&(fieldCount|fieldState) != 0 {
		p.run = r
	}
	if parts&^(fieldSource|fieldOutputs|fieldCount|fieldState) != 0 {
		p.metadata = r
	}
}

// ChangesSince returns the changes since a revision of the document or of any of its cells.
func (n *Notebook) ChangesSince(r Revision) (c Changes) {
	n.read("list changes", func() { c = n.changesSince(r) })
	return c
}

func (n *Notebook) changesSince(r Revision) Changes {
	n.refresh()
	c := Changes{From: r, To: n.rev, Complete: r >= n.first && r <= n.rev && r >= n.gone.lost}
	if !c.Complete {
		r = 0
	}
	for i, e := range n.order {
		if e.cell.Revision <= r {
			continue
		}
		c.Cells = append(c.Cells, CellChange{
			ID: e.id, Index: i, Revision: e.cell.Revision,
			New:    e.parts.born > r,
			Source: e.parts.source > r, Outputs: e.parts.outputs > r, Run: e.parts.run > r, Metadata: e.parts.metadata > r,
		})
	}
	if c.Complete {
		for _, g := range n.gone.dead {
			if _, back := n.index[g.id]; g.rev > r && !back && !slices.Contains(c.Deleted, g.id) {
				c.Deleted = append(c.Deleted, g.id)
			}
		}
	}
	c.Order = n.orderRev > r
	c.Metadata = n.metaRev > r
	return c
}
