package ydoc

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Insert adds cells before index at, or after the last cell if at is the number of cells, and returns their ids.
func (e *Editor) Insert(at int, cells ...NewCell) ([]string, error) {
	if at < 0 || at > e.Len() {
		return nil, e.fail(crdt.Invalidf("index %d is out of range, there are %d cells", at, e.Len()))
	}
	if e.Len()+len(cells) > e.n.limits.Cells {
		return nil, e.fail(tooLargef("%d cells, at most %d are allowed", e.Len()+len(cells), e.n.limits.Cells))
	}
	ready := make([]NewCell, len(cells))
	taken := map[string]bool{}
	for i, c := range cells {
		if err := e.prepare(&c, taken); err != nil {
			return nil, e.fail(err)
		}
		ready[i] = c
	}
	e.structure()
	ids := make([]string, len(ready))
	for i, c := range ready {
		d := &draft{id: c.ID, kind: c.Type, source: c.Source, read: true}
		ids[i] = c.ID
		e.order = slices.Insert(e.order, at+i, d)
		e.byID[d.id] = d
		e.stage(nil, func(x tx) { d.typ = x.newCell(e.n.cells, at+i, c) })
	}
	return ids, nil
}

// prepare checks and normalises a new cell.
func (e *Editor) prepare(c *NewCell, taken map[string]bool) (err error) {
	if c.ID == "" {
		c.ID = e.freshID(taken)
	} else if !ValidID(c.ID) {
		return crdt.Invalidf("%.80q cannot be a cell id: it takes 1 to 64 letters, digits, \"-\" or \"_\"", c.ID)
	}
	e.structure()
	if e.byID[c.ID] != nil || taken[c.ID] || slices.ContainsFunc(e.order, func(d *draft) bool { return d.node != nil && d.node.nbID == c.ID }) {
		return crdt.Invalidf("cell %q already exists", c.ID)
	}
	taken[c.ID] = true
	if err := checkType(c.Type); err != nil {
		return err
	}
	if c.Source, err = checkSource(c.Source, e.n.limits); err != nil {
		return err
	}
	if c.Metadata, err = e.checkObject(c.Metadata); err != nil {
		return err
	}
	if c.Attachments, err = e.checkObject(c.Attachments); err != nil {
		return err
	}
	if c.Type == Code && len(c.Attachments) > 0 {
		return crdt.Invalidf("a code cell cannot have attachments")
	}
	return nil
}

func (e *Editor) checkObject(m map[string]any) (map[string]any, error) {
	if m == nil {
		return nil, nil
	}
	v, err := crdt.Plain(m, e.n.limits.Depth)
	return objectValue(v), err
}

// freshID returns an unused id.
func (e *Editor) freshID(taken map[string]bool) string {
	for {
		id := NewID()
		if _, err := e.find(id); err != nil && !taken[id] {
			return id
		}
	}
}

// NewID makes a random id for a cell: eight hexadecimal digits, as in nbformat.
func NewID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ValidID reports whether id is a valid nbformat cell id.
func ValidID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

func checkType(typ string) error {
	switch typ {
	case Code, Markdown, Raw:
		return nil
	}
	return crdt.Invalidf("the cell type %.40q: it must be code, markdown or raw", typ)
}

// checkSource checks a source and changes its line ends to "\n", as editors do: they count any line end as one
// character.
func checkSource(s string, lim Limits) (string, error) {
	if !utf8.ValidString(s) {
		return "", crdt.Invalidf("the text is not valid UTF-8")
	}
	if len(s) > lim.TextBytes {
		return "", tooLargef("a text of %d bytes, at most %d are allowed", len(s), lim.TextBytes)
	}
	return textdiff.UnixEnds(s), nil
}

// Delete removes cells.
func (e *Editor) Delete(ids ...string) error {
	for _, id := range ids {
		d, err := e.find(id)
		if err != nil {
			return e.fail(err)
		}
		if err := e.unlocked(d, KeyDeletable); err != nil {
			return err
		}
		e.structure()
		at := e.position(d)
		e.order = slices.Delete(e.order, at, at+1)
		delete(e.byID, d.id)
		stageReplacing(e, d, func(x tx) { x.Remove(e.n.cells, at, 1) })
	}
	return nil
}

// neverEmpty adds a cell if the edit would leave a notebook that had cells without any.
func (e *Editor) neverEmpty() {
	if e.byID != nil && len(e.order) == 0 && len(e.n.order) > 0 {
		_, _ = e.Insert(0, NewCell{Type: Code}) // cannot fail: there is room for one
	}
}

// Move moves a cell to index to. The cell keeps its id and content, but as everywhere in this protocol it becomes a
// copy. Others' edits of the old texts are carried over to the copy if they reach us (ydoc/crdt, late.go). The server
// drops edits that reach it after the move; our replicas repeat their own in the copy (orphan.go), a tab's keys are
// lost.
func (e *Editor) Move(id string, to int) error {
	if _, err := e.find(id); err != nil {
		return e.fail(err)
	}
	if to < 0 || to >= e.Len() {
		return e.fail(crdt.Invalidf("index %d is out of range, there are %d cells", to, e.Len()))
	}
	e.structure()
	d := e.byID[id]
	from := e.position(d)
	if from == to {
		return nil
	}
	d.moved = true
	e.order = slices.Insert(slices.Delete(e.order, from, from+1), to, d)
	stageReplacing(e, d, func(x tx) {
		old := d.typ
		if d.typ = x.moveCell(e.n.cells, from, to, old); old != nil {
			x.replaced(old, d.typ)
		}
	})
	return nil
}

// SetType changes a cell's type. Source, metadata and id stay, outputs and execution count go. It has no effect if
// the cell already has the type. The cell is replaced by a copy, as in JupyterLab.
func (e *Editor) SetType(id, typ string) error {
	d, err := e.editable(id)
	if err != nil {
		return e.fail(err)
	}
	if err := checkType(typ); err != nil {
		return e.fail(err)
	}
	if d.kind == typ {
		return nil
	}
	if err := e.unlocked(d, KeyEditable); err != nil {
		return err
	}
	d.kind = typ
	at := e.position(d)
	stageReplacing(e, d, func(x tx) {
		old := d.typ
		x.Remove(e.n.cells, at, 1)
		d.typ = x.InsertCopy(e.n.cells, at, old)
		x.retypeCell(d.typ, old, typ)
		x.replaced(old, d.typ)
	})
	return nil
}

// Split splits a cell before some of its lines, given by their numbers from 0, in ascending order. The last part keeps
// the id, the outputs and the text itself, so that carets and concurrent edits in it stay; each earlier part becomes a
// new cell before it, of the same type and with the same metadata. Empty lines at the ends of parts go. It returns the
// ids of the new cells.
func (e *Editor) Split(id string, lines ...int) ([]string, error) {
	d, err := e.editable(id)
	if err != nil {
		return nil, e.fail(err)
	}
	source := e.sourceOf(d)
	all := strings.SplitAfter(source, "\n")
	var parts []NewCell
	from, start := 0, 0 // the line and the offset at which the next part begins
	for _, line := range lines {
		if line <= from || line >= len(all) {
			return nil, e.fail(crdt.Invalidf("cell %q cannot be split before line %d: it has %d lines, and each part needs one", id, line+1, len(all)))
		}
		part := strings.Join(all[from:line], "")
		parts = append(parts, NewCell{Type: d.kind, Source: strings.Trim(part, "\r\n")})
		from, start = line, start+len(part)
	}
	start = len(source) - len(strings.TrimLeft(source[start:], "\r\n"))
	if d.node != nil {
		d.node.refresh(e.n)
		for i := range parts {
			parts[i].Metadata = maps.Clone(d.node.cell.Metadata)
			parts[i].Attachments = usedIn(parts[i].Source, d.node.cell.Attachments)
		}
	}
	if err := e.editSource(d, []textdiff.Edit{{Del: textdiff.UTF16Len(source[:start])}}, source[start:]); err != nil {
		return nil, err
	}
	return e.Insert(e.position(d), parts...)
}

// usedIn returns the attachments that a Markdown text shows.
func usedIn(source string, attachments map[string]any) map[string]any {
	used := maps.Clone(attachments)
	maps.DeleteFunc(used, func(name string, _ any) bool { return !strings.Contains(source, "attachment:"+name) })
	return used
}

// Join appends the sources of further cells to a cell, after an empty line, with their outputs and attachments, and
// deletes them. The cell keeps its id and metadata, and gets the execution count of the last one. All must have one
// type.
func (e *Editor) Join(id string, others ...string) error {
	for _, other := range others {
		if err := e.join(id, other); err != nil {
			return e.fail(err)
		}
	}
	return e.Delete(others...)
}

func (e *Editor) join(id, other string) error {
	into, err := e.editable(id)
	if err != nil {
		return err
	}
	from, err := e.editable(other)
	if err != nil {
		return err
	}
	if into == from || into.kind != from.kind {
		return crdt.Invalidf("cells %q (%s) and %q (%s) cannot be joined: give two cells of one type", id, into.kind, other, from.kind)
	}
	if err := e.unlocked(from, KeyEditable); err != nil {
		return err
	}
	added := e.sourceOf(from)
	was := e.sourceOf(into)
	if was != "" && added != "" {
		added = "\n\n" + added
	}
	if added, err = checkSource(was+added, e.n.limits); err != nil {
		return err
	}
	if err := e.SetSource(id, added); err != nil {
		return err
	}
	cell, _ := e.Cell(other)
	if len(cell.Attachments) > 0 && into.kind != Code {
		have, _ := e.Cell(id)
		all, err := united(have.Attachments, cell.Attachments)
		if err != nil {
			return err
		}
		if err := e.SetAttachments(id, all); err != nil {
			return err
		}
	}
	for _, o := range cell.Outputs {
		if err := e.AppendOutput(id, o); err != nil {
			return err
		}
	}
	if cell.ExecutionCount == nil {
		return nil
	}
	return e.FinishRun(id, cell.ExecutionCount)
}

// united returns the attachments of two cells.
func united(a, b map[string]any) (map[string]any, error) {
	all := map[string]any{}
	maps.Copy(all, a)
	for name, attachment := range b {
		if has, taken := all[name]; taken && !reflect.DeepEqual(has, attachment) {
			return nil, crdt.Invalidf("both cells have an attachment %q: rename one of them", name)
		}
		all[name] = attachment
	}
	return all, nil
}

// effects are the effects of a staged edit.
type effects struct{ *Editor }

// edits returns them by cell: the cells in the order of their places before, the added ones last.
func (e effects) edits() (all []CellEdit) {
	at := func(i int) string {
		if i < 0 || i >= len(e.n.order) {
			return ""
		}
		return e.n.order[i].id
	}
	staged := func(i int) string {
		id, _ := e.IDAt(i)
		return id
	}
	after := func(d *draft, i int) *CellState {
		return &CellState{Type: d.kind, Source: e.sourceOf(d), Index: i, Previous: staged(i - 1), Next: staged(i + 1)}
	}
	for _, id := range e.touches.Cells {
		i, ok := e.n.index[id]
		if !ok || e.n.order[i].typ == nil {
			continue
		}
		nd := e.n.order[i]
		nd.refresh(e.n)
		edit := CellEdit{ID: id, Before: &CellState{Type: nd.cell.Type, Source: nd.cell.Source, Index: i, Previous: at(i - 1), Next: at(i + 1)}}
		if d, err := e.find(id); err == nil && d.node == nd {
			edit.After, edit.Moved = after(d, e.position(d)), d.moved
		} else {
			edit.Before.Metadata, edit.Before.Bare = nd.cell.Metadata, len(nd.cell.Outputs)+len(nd.cell.Attachments) > 0
		}
		if edit.After == nil || edit.Moved || edit.Before.Type != edit.After.Type || edit.Before.Source != edit.After.Source {
			all = append(all, edit)
		}
	}
	slices.SortFunc(all, func(a, b CellEdit) int { return a.Before.Index - b.Before.Index })
	for i, d := range e.order {
		if d.node == nil {
			all = append(all, CellEdit{ID: d.id, After: after(d, i)})
		}
	}
	return all
}
