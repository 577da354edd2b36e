package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// overwriteNotebook makes a notebook what its new JSON says, in one transaction: cells keep their identity by id, what
// is equal is not touched, and what has to move is as little as possible, since a cell that moves is a new one to those
// who type in it.
func (d *deps) overwriteNotebook(ctx context.Context, doc *session.Document, args overwriteArgs) (merged bool, err error) {
	file, err := parseNotebook(args.Content)
	if err != nil {
		return false, fmt.Errorf("nothing was changed: %w", err)
	}
	o := overwriting{ctx: ctx, d: d, doc: doc, file: file}
	from, err := d.notebookBasis(ctx, doc, args.Revision)
	if err != nil {
		return false, err
	}
	o.basis = from
	err = doc.Edit(ctx, "overwrite notebook", func(e *ydoc.Editor) error {
		o.e, o.merged = e, false
		return o.run()
	})
	if errors.Is(err, ydoc.ErrRevisionGone) {
		return false, fmt.Errorf("nothing was changed: what you were shown of %s is too long ago to merge the changes of others with yours; read it again, then repeat the change", quoted(doc.Path()))
	}
	if err != nil {
		return false, editError(err)
	}
	if !o.merged {
		if _, _, err := d.show(ctx, doc); err != nil {
			return false, err
		}
	}
	return o.merged, nil
}

// notebookBasis is textBasis for notebooks, whose cells are known one by one.
func (d *deps) notebookBasis(ctx context.Context, doc *session.Document, named string) (basis, error) {
	if named != "" {
		return d.textBasis(ctx, doc, named)
	}
	shown, _ := doc.Shown(clientOf(ctx), wholeText)
	return basis{rev: shown}, nil
}

// overwriting is one call's work on a notebook.
type overwriting struct {
	ctx    context.Context
	d      *deps
	doc    *session.Document
	file   notebookFile
	basis  basis
	e      *ydoc.Editor
	merged bool
}

func (o *overwriting) run() error {
	now := make([]ydoc.Cell, o.e.Len())
	for i := range now {
		c, _ := o.e.CellAt(i)
		now[i] = c
	}
	match := matchCells(now, o.file.cells)
	kept := map[int]bool{}
	for _, at := range match {
		kept[at] = true
	}
	if err := o.remove(now, kept); err != nil {
		return err
	}
	for i, c := range o.file.cells {
		if match[i] >= 0 {
			if err := o.change(now[match[i]], c); err != nil {
				return err
			}
		}
	}
	if err := o.arrange(now, match); err != nil {
		return err
	}
	return o.setMetadata()
}

// matchCells says for each cell of the file which of the present cells it is, -1 for none: the one of its id, or where
// it has none the next one that reads the same.
func matchCells(now []ydoc.Cell, file []fileCell) []int {
	byID, taken := map[string]int{}, map[int]bool{}
	type look struct{ kind, source string }
	alike := map[look][]int{}
	for i, c := range now {
		if _, twice := byID[c.ID]; !twice && c.ID != "" && c.Fault == "" {
			byID[c.ID] = i
			alike[look{c.Type, c.Source}] = append(alike[look{c.Type, c.Source}], i)
		}
	}
	match := make([]int, len(file))
	for i, c := range file {
		match[i] = -1
		if at, ok := byID[c.id]; ok && c.id != "" {
			match[i], taken[at] = at, true
		}
	}
	for i, c := range file {
		if c.id != "" {
			continue
		}
		same := alike[look{c.kind, c.source}]
		for len(same) > 0 && taken[same[0]] {
			same = same[1:]
		}
		if len(same) > 0 {
			match[i], taken[same[0]] = same[0], true
		}
		alike[look{c.kind, c.source}] = same
	}
	return match
}

// remove deletes the cells that are in the file no more, unless somebody has written in one since the caller saw it.
func (o *overwriting) remove(now []ydoc.Cell, kept map[int]bool) error {
	var ids []string
	for i, c := range now {
		if kept[i] {
			continue
		}
		if o.unknown(c) {
			return fmt.Errorf("nothing was changed: cell %q, which the new content leaves out, was added or changed by others since you were last shown the notebook; read it again, then repeat the change", c.ID)
		}
		ids = append(ids, c.ID)
	}
	return o.e.Delete(ids...)
}

// unknown tells whether a cell is not what the caller saw, where it saw the notebook.
func (o *overwriting) unknown(c ydoc.Cell) bool {
	if o.basis.named {
		return c.Revision > o.basis.rev
	}
	if o.d.seen.outdated(o.ctx, o.doc.Path(), c) {
		return true
	}
	_, shown := o.doc.Shown(clientOf(o.ctx), c.ID)
	return o.basis.rev > 0 && !shown && c.Revision > o.basis.rev
}

// change makes a present cell what the file says.
func (o *overwriting) change(now ydoc.Cell, c fileCell) error {
	if err := o.setSource(now, c.source); err != nil {
		return err
	}
	if now.Type != c.kind {
		if err := o.e.SetType(now.ID, c.kind); err != nil {
			return err
		}
	}
	if err := o.setCellMetadata(now, c); err != nil {
		return err
	}
	if c.kind != ydoc.Code {
		if len(c.attachments)+len(now.Attachments) == 0 || equalPlain(c.attachments, now.Attachments) {
			return nil
		}
		return o.e.SetAttachments(now.ID, c.attachments)
	}
	if now.ExecutionState == ydoc.Running {
		return nil // its outputs are the run's to write
	}
	var outputs []ydoc.Output
	var count *int
	if now.Type == ydoc.Code {
		outputs, count = now.Outputs, now.ExecutionCount
	}
	return o.setOutputs(now.ID, outputs, count, c)
}

// setSource writes a source as a change from what the caller was shown of it.
func (o *overwriting) setSource(now ydoc.Cell, source string) error {
	base := o.basis.rev
	if !o.basis.named {
		if !o.d.seen.outdated(o.ctx, o.doc.Path(), now) {
			return o.e.SetSource(now.ID, source)
		}
		shown, ok := o.doc.Shown(clientOf(o.ctx), now.ID)
		if !ok {
			return outdatedError(now.ID)
		}
		base = shown
	}
	if err := o.e.Rewrite(now.ID, base, source); err != nil {
		return err
	}
	if after, _ := o.e.Cell(now.ID); after.Source != source {
		o.merged = true
	}
	return nil
}

// trusted is the key of a cell's metadata that is for open tabs only: what is in a file, or comes from a caller, says
// nothing about it.
const trusted = "trusted"

func (o *overwriting) setCellMetadata(now ydoc.Cell, c fileCell) error {
	for _, k := range sortedKeys(now.Metadata) {
		if _, stays := c.metadata[k]; !stays && k != trusted {
			if err := o.e.DeleteCellMetadata(now.ID, k); err != nil {
				return err
			}
		}
	}
	for _, k := range sortedKeys(c.metadata) {
		if was, ok := now.Metadata[k]; k == trusted || ok && equalPlain(was, c.metadata[k]) {
			continue
		}
		if err := o.e.SetCellMetadata(now.ID, k, c.metadata[k]); err != nil {
			return err
		}
	}
	return nil
}

func (o *overwriting) setOutputs(id string, was []ydoc.Output, wasCount *int, c fileCell) error {
	same := len(was) == len(c.outputs)
	for i := 0; same && i < len(was); i++ {
		same = equalPlain(map[string]any(was[i]), map[string]any(c.outputs[i]))
	}
	if !same {
		if err := o.e.SetOutputs(id, c.outputs); err != nil {
			return err
		}
	}
	if same && (wasCount == nil) == (c.count == nil) && (wasCount == nil || *wasCount == *c.count) {
		return nil
	}
	return o.e.FinishRun(id, c.count) // the count comes last
}

// arrange puts the cells into the file's order, and makes those that are new. The longest run of cells that are in
// order already stays where it is.
func (o *overwriting) arrange(now []ydoc.Cell, match []int) error {
	stay := inOrder(match)
	at := 0 // where the next cell belongs: behind the one before
	for i, c := range o.file.cells {
		if match[i] < 0 {
			if err := o.insert(at, c); err != nil {
				return err
			}
			at++
			continue
		}
		id := now[match[i]].ID
		from, _ := o.e.Index(id)
		switch {
		case stay[i]:
			at = from + 1
		case from < at:
			if err := o.e.Move(id, at-1); err != nil {
				return err
			}
		default:
			if err := o.e.Move(id, at); err != nil {
				return err
			}
			at++
		}
	}
	return nil
}

func (o *overwriting) insert(at int, c fileCell) error {
	metadata := map[string]any{}
	for k, v := range c.metadata {
		if k != trusted {
			metadata[k] = v
		}
	}
	ids, err := o.e.Insert(at, ydoc.NewCell{ID: c.id, Type: c.kind, Source: c.source, Metadata: metadata, Attachments: c.attachments})
	if err != nil || c.kind != ydoc.Code {
		return err
	}
	return o.setOutputs(ids[0], nil, nil, c)
}

// inOrder marks the longest ascending subsequence of the matched cells.
func inOrder(match []int) []bool {
	stay := make([]bool, len(match))
	var tails []int // of the best run of each length, the index of its last
	before := make([]int, len(match))
	for i, at := range match {
		if at < 0 {
			continue
		}
		n, _ := slices.BinarySearchFunc(tails, at, func(t, at int) int { return match[t] - at })
		if before[i] = -1; n > 0 {
			before[i] = tails[n-1]
		}
		tails = append(tails[:n], append([]int{i}, tails[min(n+1, len(tails)):]...)...)
	}
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			stay[i] = true
		}
	}
	return stay
}

// setMetadata makes the notebook's own metadata what the file says.
func (o *overwriting) setMetadata() error {
	now := o.e.Metadata()
	for _, k := range sortedKeys(now) {
		if _, stays := o.file.metadata[k]; !stays {
			if err := o.e.DeleteMetadata(k); err != nil {
				return err
			}
		}
	}
	for _, k := range sortedKeys(o.file.metadata) {
		if was, ok := now[k]; ok && equalPlain(was, o.file.metadata[k]) {
			continue
		}
		if err := o.e.SetMetadata(k, o.file.metadata[k]); err != nil {
			return err
		}
	}
	return nil
}
