package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/nbformat"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// overwriteNotebook makes a notebook what its new JSON says, in one transaction: cells keep their identity by id, what
// is equal is not touched, and what has to move is as little as possible, since a cell that moves is a new one to those
// who type in it.
func overwriteNotebook(ctx context.Context, d *desk.Desk, doc *session.Document, args overwriteArgs) (merged bool, err error) {
	file, err := nbformat.Parse(args.Content)
	if err != nil {
		return false, fmt.Errorf("nothing was changed: %w", err)
	}
	o := overwriting{ctx: ctx, d: d, doc: doc, file: file}
	from, err := notebookBasis(ctx, doc, args.Revision)
	if err != nil {
		return false, err
	}
	o.basis = from
	err = doc.Edit(ctx, "overwrite notebook", func(e *ydoc.Editor) error {
		o.e, o.merged = e, false
		return o.run()
	})
	if errors.Is(err, ydoc.ErrRevisionGone) {
		return false, fmt.Errorf("nothing was changed: what you were shown of %s is too long ago to merge the changes of others with yours; read it again, then repeat the change", tool.Quoted(doc.Path()))
	}
	if err != nil {
		return false, desk.EditError(err)
	}
	if !o.merged {
		if _, _, err := show(ctx, doc); err != nil {
			return false, err
		}
	}
	return o.merged, nil
}

// basis is the version of the notebook that the new content is a change from.
type basis struct {
	rev   ydoc.Revision // 0 for the notebook as it is
	named bool          // by the caller
}

// notebookBasis finds the version that the client of ctx means. Cells are known one by one.
func notebookBasis(ctx context.Context, doc *session.Document, named string) (basis, error) {
	rev, err := baseArg(named)
	if err == nil && rev == 0 {
		rev, _ = doc.Shown(tool.ClientOf(ctx), desk.WholeText)
	}
	return basis{rev, named != ""}, err
}

// overwriting is one call's work on a notebook.
type overwriting struct {
	ctx    context.Context
	d      *desk.Desk
	doc    *session.Document
	file   nbformat.Notebook
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
	match := matchCells(now, o.file.Cells)
	kept := map[int]bool{}
	for _, at := range match {
		kept[at] = true
	}
	if err := o.remove(now, kept); err != nil {
		return err
	}
	for i, c := range o.file.Cells {
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
func matchCells(now []ydoc.Cell, file []ydoc.Cell) []int {
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
		if at, ok := byID[c.ID]; ok && c.ID != "" {
			match[i], taken[at] = at, true
		}
	}
	for i, c := range file {
		if c.ID != "" {
			continue
		}
		same := alike[look{c.Type, c.Source}]
		for len(same) > 0 && taken[same[0]] {
			same = same[1:]
		}
		if len(same) > 0 {
			match[i], taken[same[0]] = same[0], true
		}
		alike[look{c.Type, c.Source}] = same
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
	if o.doc.Outdated(tool.ClientOf(o.ctx), c.ID, c.Source) {
		return true
	}
	_, shown := o.doc.Shown(tool.ClientOf(o.ctx), c.ID)
	return o.basis.rev > 0 && !shown && c.Revision > o.basis.rev
}

// change makes a present cell what the file says.
func (o *overwriting) change(now ydoc.Cell, c ydoc.Cell) error {
	if err := o.setSource(now, c.Source); err != nil {
		return err
	}
	if now.Type != c.Type {
		if err := o.e.SetType(now.ID, c.Type); err != nil {
			return err
		}
	}
	if err := o.setCellMetadata(now, c); err != nil {
		return err
	}
	if c.Type != ydoc.Code {
		if len(c.Attachments)+len(now.Attachments) == 0 || equalPlain(c.Attachments, now.Attachments) {
			return nil
		}
		return o.e.SetAttachments(now.ID, c.Attachments)
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
		if !o.doc.Outdated(tool.ClientOf(o.ctx), now.ID, now.Source) {
			return o.e.SetSource(now.ID, source)
		}
		shown, ok := o.doc.Shown(tool.ClientOf(o.ctx), now.ID)
		if !ok {
			return desk.OutdatedError(now.ID)
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

func (o *overwriting) setCellMetadata(now ydoc.Cell, c ydoc.Cell) error {
	for _, k := range slices.Sorted(maps.Keys(now.Metadata)) {
		if _, stays := c.Metadata[k]; !stays && k != nbformat.Trusted {
			if err := o.e.DeleteCellMetadata(now.ID, k); err != nil {
				return err
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Metadata)) {
		if was, ok := now.Metadata[k]; k == nbformat.Trusted || ok && equalPlain(was, c.Metadata[k]) {
			continue
		}
		if err := o.e.SetCellMetadata(now.ID, k, c.Metadata[k]); err != nil {
			return err
		}
	}
	return nil
}

func (o *overwriting) setOutputs(id string, was []ydoc.Output, wasCount *int, c ydoc.Cell) error {
	same := len(was) == len(c.Outputs)
	for i := 0; same && i < len(was); i++ {
		same = equalPlain(map[string]any(was[i]), map[string]any(c.Outputs[i]))
	}
	if !same {
		if err := o.e.SetOutputs(id, c.Outputs); err != nil {
			return err
		}
	}
	if same && (wasCount == nil) == (c.ExecutionCount == nil) && (wasCount == nil || *wasCount == *c.ExecutionCount) {
		return nil
	}
	return o.e.FinishRun(id, c.ExecutionCount) // the count comes last
}

// arrange puts the cells into the file's order, and makes those that are new. The longest run of cells that are in
// order already stays where it is.
func (o *overwriting) arrange(now []ydoc.Cell, match []int) error {
	stay := inOrder(match)
	at := 0 // where the next cell belongs: behind the one before
	for i, c := range o.file.Cells {
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

func (o *overwriting) insert(at int, c ydoc.Cell) error {
	metadata := map[string]any{}
	for k, v := range c.Metadata {
		if k != nbformat.Trusted {
			metadata[k] = v
		}
	}
	ids, err := o.e.Insert(at, ydoc.NewCell{ID: c.ID, Type: c.Type, Source: c.Source, Metadata: metadata, Attachments: c.Attachments})
	if err != nil || c.Type != ydoc.Code {
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
	for _, k := range slices.Sorted(maps.Keys(now)) {
		if _, stays := o.file.Metadata[k]; !stays {
			if err := o.e.DeleteMetadata(k); err != nil {
				return err
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(o.file.Metadata)) {
		if was, ok := now[k]; ok && equalPlain(was, o.file.Metadata[k]) {
			continue
		}
		if err := o.e.SetMetadata(k, o.file.Metadata[k]); err != nil {
			return err
		}
	}
	return nil
}

// equalPlain compares plain JSON values, whatever types their numbers have.
func equalPlain(a, b any) bool { return reflect.DeepEqual(plainValue(a), plainValue(b)) }

// plainValue is a JSON value with each number as a float64.
func plainValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plainValue(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plainValue(e)
		}
		return out
	case int:
		return float64(v)
	case json.Number:
		f, _ := v.Float64()
		return f
	}
	return v
}
