package ydoc

import (
	"cmp"
	"slices"
)

// Changes is what became different between two revisions of a document. Only what is different now is named, not the
// steps between.
type Changes struct {
	// From and To are the revisions.
	From, To Revision
	// Complete is false when From is not remembered any more, or is none of this document: read everything again. Cells
	// then lists every cell, and Deleted none.
	Complete bool
	// Cells are the cells that were added or became different, in the order of the notebook.
	Cells []CellChange
	// Deleted are the ids of cells that are gone.
	Deleted []string
	// Order is true when cells were added, deleted or moved.
	Order bool
	// Metadata is true when the notebook's own metadata or format became different.
	Metadata bool
	// Text is true when the text of a text document became different.
	Text bool
	// State is true when the state map was written to, which is not content. Only subscriptions set it.
	State bool
	// Origin says who made changes. Only subscriptions set it.
	Origin Origin
}

// Empty reports whether nothing became different.
func (c *Changes) Empty() bool {
	return c.Complete && len(c.Cells) == 0 && len(c.Deleted) == 0 && !c.Order && !c.Metadata && !c.Text && !c.State
}

// CellChange is a cell that was added or became different.
type CellChange struct {
	ID       string
	Index    int
	Revision Revision
	// New is true for a cell that was not there.
	New bool
	// Source, Outputs, Run and Metadata say what became different: Run stands for execution count and state, Metadata
	// for everything else.
	Source, Outputs, Run, Metadata bool
	// Origin says who made changes to the cell. Only subscriptions set it.
	Origin Origin
}

// Origin says who made changes: this replica, or others. A deletion names no client; so Others may be
// true with no client.
type Origin struct {
	Ours, Others bool
	// Clients are the ids of others who added something, ascending.
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

// revisions of the parts of a cell: when each last became different.
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

// ChangesSince says what became different since a revision of the document, or of any of its cells.
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
