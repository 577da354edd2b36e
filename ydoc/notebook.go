package ydoc

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

// Notebook is a shared document read as a notebook.
//
// Reads return immutable plain values, cached until the content changes, so that reading one cell after an edit costs
// only that cell. A broken document reads as empty: see [Doc.Err].
type Notebook struct {
	*Doc
	cells, meta *crdt.Type

	order   []*node // the cells in order, once ordered
	ordered bool
	index   map[string]int // index of the cell with each identity
	stale   []*node        // nodes with parts to read again

	rev       Revision // the document's, as last read
	first     Revision // the revision of the empty document
	orderRev  Revision // when the order last changed
	metaRev   Revision // when the notebook's own metadata last changed
	metaStale bool
	metaValue map[string]any
	archive   archive
	gone      graveyard
	renamed   map[string]rename // keyed by the new id
}

// NewNotebook makes an empty replica under a random client id. It writes nothing.
func NewNotebook() *Notebook { return NewNotebookWith(Options{}) }

// NewNotebookWith is NewNotebook with options.
func NewNotebookWith(o Options) *Notebook {
	n := &Notebook{index: map[string]int{}, metaStale: true}
	n.Doc = newDoc(o, n)
	n.cells = n.replica.Root(rootCells, crdt.KindArray)
	n.meta = n.replica.Root(rootMeta, crdt.KindMap)
	n.archive = archive{maxBytes: n.limits.HistoryBytes, maxVersions: n.limits.HistoryVersions}
	n.rev = nextRevision()
	n.first = n.rev
	return n
}

// changed notes the effects of a transaction.
func (n *Notebook) changed(c *crdt.Change) {
	renamed := n.noteRenames(c)
	n.adopt(c)
	if renamed || c.Has(n.cells) {
		n.restoreIDs()
	}
	n.touched(c)
	n.mark(c)
}

// touched marks the changed parts to be read again.
func (n *Notebook) touched(c *crdt.Change) {
	for t := range c.Types() {
		if t == n.cells {
			n.ordered = false
		} else if e := nodeOf(t); e != nil && t.Holder() == n.cells {
			for key := range c.Keys(t) {
				field := fieldOf[key]
				if field == fieldID {
					n.ordered = false
				}
				n.soil(e, field)
			}
		}
	}
	for _, t := range c.Touched {
		if up := t.Holder(); up == nil {
			n.metaStale = n.metaStale || t == n.meta
		} else if e := nodeOf(up); e != nil {
			n.soil(e, fieldOf[t.Key()])
		}
	}
}

// soil marks parts of a cell to be read again.
func (n *Notebook) soil(e *node, parts fields) {
	if parts == 0 {
		return
	}
	e.stale |= parts
	if !e.queued {
		e.queued = true
		n.stale = append(n.stale, e)
	}
}

// arrange updates the order of the cells.
func (n *Notebook) arrange() {
	if n.ordered {
		return
	}
	n.ordered = true
	before := n.order
	n.order = make([]*node, 0, n.cells.Len())
	for t, v := range n.cells.Entries() {
		if t == nil || t.Kind() != crdt.KindMap {
			n.order = append(n.order, plainNode(v))
			continue
		}
		e := nodeOf(t)
		if e == nil {
			e = &node{typ: t}
			t.Data = e
		}
		if !e.born {
			n.soil(e, allFields)
		}
		e.nbID = stringValue(t.Get(keyID))
		n.order = append(n.order, e)
	}
	n.identify()
	same := slices.EqualFunc(before, n.order, func(a, b *node) bool { return a.id == b.id && (a.typ == nil) == (b.typ == nil) })
	was := n.index
	n.index = make(map[string]int, len(n.order))
	for i, e := range n.order {
		n.index[e.id] = i
		if at, ok := was[e.id]; ok && !e.born {
			e.succeed(before[at], n)
		}
		if e.typ == nil {
			e.cell.Revision = n.plainRevision(e, before, i)
			e.parts.note(allFields, e.cell.Revision)
		}
	}
	if !same {
		n.orderRev = n.advance()
		for id := range was {
			if _, ok := n.index[id]; !ok {
				n.gone.add(id, n.rev)
			}
		}
	}
}

// plainRevision returns the revision of a plain entry: that of the entry formerly at its index, if they are equal.
func (n *Notebook) plainRevision(e *node, before []*node, i int) Revision {
	if i < len(before) && before[i].typ == nil && before[i].cell.differs(&e.cell, allFields) == 0 {
		return before[i].cell.Revision
	}
	return n.advance()
}

// succeed takes over the revision and history of a replaced cell with the same id, after a move or a change of type.
func (e *node) succeed(old *node, n *Notebook) {
	if old == e || !old.born || old.typ == nil || e.typ == nil {
		return
	}
	e.cell, e.born, e.past, e.parts = old.cell, true, old.past, old.parts
	n.soil(e, allFields)
}

// refresh updates everything cached from the notebook.
func (n *Notebook) refresh() {
	n.arrange()
	for _, e := range n.stale {
		e.queued = false
		if e.typ.Deleted() {
			e.stale = 0
			continue
		}
		e.refresh(n)
	}
	clear(n.stale)
	n.stale = n.stale[:0]
	if n.metaStale {
		n.metaStale = false
		if m := n.meta.Object(); !crdt.EqualObjects(m, n.metaValue) {
			n.metaValue = m
			n.metaRev = n.advance()
		}
	}
}

// advance gives the document its next revision.
func (n *Notebook) advance() Revision {
	n.rev = nextRevision()
	return n.rev
}

// remember keeps the source of a cell for three-way merges.
func (n *Notebook) remember(e *node) {
	e.past = cmp.Or(e.past, &past{})
	n.archive.add(e.past, e.cell.Revision, e.cell.Source)
}

// snapshot returns the cell at index i, which must be in range.
func (n *Notebook) snapshot(i int) Cell {
	e := n.order[i]
	e.refresh(n)
	return e.cell
}

// Len is the number of cells.
func (n *Notebook) Len() (count int) {
	n.read("count cells", func() { n.arrange(); count = len(n.order) })
	return count
}

// Cells returns all cells in order. The caller owns the slice; the content of the cells is shared.
func (n *Notebook) Cells() (cells []Cell) {
	n.read("read cells", func() {
		n.refresh()
		cells = make([]Cell, len(n.order))
		for i, e := range n.order {
			cells[i] = e.cell
		}
	})
	return cells
}

// Cell returns the cell with that identity, see [Cell].
func (n *Notebook) Cell(id string) (cell Cell, ok bool) {
	n.read("read a cell", func() {
		n.arrange()
		var i int
		if i, ok = n.index[id]; ok {
			cell = n.snapshot(i)
		}
	})
	return cell, ok
}

// CellAt returns the cell at index i, counted from 0.
func (n *Notebook) CellAt(i int) (cell Cell, ok bool) {
	n.read("read a cell", func() {
		n.arrange()
		if ok = i >= 0 && i < len(n.order); ok {
			cell = n.snapshot(i)
		}
	})
	return cell, ok
}

// Index returns the index of the cell with that identity, counted from 0.
func (n *Notebook) Index(id string) (i int, ok bool) {
	n.read("find a cell", func() {
		n.arrange()
		i, ok = n.index[id]
	})
	return i, ok
}

// IDs returns the identities of all cells in order.
func (n *Notebook) IDs() (ids []string) {
	n.read("list cells", func() {
		n.arrange()
		for _, e := range n.order {
			ids = append(ids, e.id)
		}
	})
	return ids
}

// StateBy returns the id of the client that set a cell's execution state, or false.
func (n *Notebook) StateBy(id string) (client uint64, ok bool) {
	n.read("read who set a state", func() {
		n.arrange()
		if i, found := n.index[id]; found && n.order[i].typ != nil {
			client, ok = n.order[i].typ.Writer(keyState)
		}
	})
	return client, ok
}

// Metadata returns the notebook's metadata: kernelspec, language_info and so on. It is shared: copy it before
// changing it.
func (n *Notebook) Metadata() (m map[string]any) {
	m = map[string]any{}
	n.read("read metadata", func() { m = objectOr(n.meta.Get(keyMetadata)) })
	return m
}

// NBFormat returns the notebook's format version, zeros if the document has none.
func (n *Notebook) NBFormat() (major, minor int) {
	n.read("read the format", func() {
		major, _ = n.meta.Get("nbformat").(int)
		minor, _ = n.meta.Get("nbformat_minor").(int)
	})
	return major, minor
}

// SetNBFormat sets the notebook's format version, for a replica made from a file. In a room the server sets it from
// its file.
func (n *Notebook) SetNBFormat(major, minor int) error {
	return n.do("set the format", func() error {
		return n.write(func(x tx) {
			x.SetChanged(n.meta, "nbformat", major)
			x.SetChanged(n.meta, "nbformat_minor", minor)
		})
	})
}

// Revision returns the document's revision, which changes exactly when cells, their order or the notebook's metadata
// do. The state map is not content.
func (n *Notebook) Revision() (r Revision) {
	n.read("read the revision", func() {
		n.refresh()
		r = n.rev
	})
	return r
}

// JSON returns the notebook in nbformat's form as plain values, with each cell's keys as the document has them.
func (n *Notebook) JSON() (nb map[string]any) {
	n.read("read the notebook", func() {
		nb = map[string]any{}
		maps.Copy(nb, n.meta.Object())
		nb[rootCells] = slices.Clone(n.cells.List())
	})
	return nb
}

// graveyard remembers the most recently deleted cells.
type graveyard struct {
	dead []grave
	lost Revision // deletions up to here may be forgotten
}

type grave struct {
	id  string
	rev Revision
}

// maxGraves is the number of deleted cells remembered.
const maxGraves = 1_024

func (g *graveyard) add(id string, r Revision) {
	g.dead = append(g.dead, grave{id, r})
	if len(g.dead) > maxGraves {
		g.lost = g.dead[0].rev
		g.dead = g.dead[1:]
	}
}
