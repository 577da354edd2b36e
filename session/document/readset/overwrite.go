package readset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Overwrite gives a notebook the content of a file, in one transaction: cells keep their identity by id, equal parts are not
// touched, and as few cells as possible move, because a moved cell is a new one to a person who types in it.
//
// The file counts as a change from revision base of the notebook, 0 for the content that the client was last shown, and is
// merged with what others have typed since; merged reports that the notebook now differs from the file. If others have
// changed the same words, or the client has not read a cell that would be deleted, the error is an [*OutdatedError]. force
// replaces content that the client has not read.
func (r Reader) Overwrite(ctx context.Context, file nbformat.Notebook, base ydoc.Revision, force bool) (merged bool, err error) {
	o := overwriting{Reader: r, file: file, base: base, force: force}
	err = r.doc.Edit(ctx, "overwrite notebook", func(e *ydoc.Editor) error {
		o.e, o.merged, o.written = e, false, nil
		return o.run()
	})
	switch err = r.overtaken(err, o.written); {
	case errors.As(err, new(*OutdatedError)):
		return false, fmt.Errorf("%w. The whole notebook's revision is \"%s\"", err, r.doc.Notebook().Revision())
	case err != nil:
		return false, err
	}
	cells := r.doc.Notebook().Cells()
	if !o.merged {
		r.Answer(cells...)
		r.ListRange(cells, 0, len(cells))
		return false, nil
	}
	for _, c := range cells {
		if at := slices.IndexFunc(o.written, func(w Change) bool { return w.Cell == c.ID }); at >= 0 {
			r.sent(c, o.written[at].Source)
		}
	}
	return true, nil
}

// overwriting is the state of one Overwrite.
type overwriting struct {
	Reader
	file    nbformat.Notebook
	base    ydoc.Revision // that the file is a change of, 0 for the last one shown
	force   bool          // replace content that the client has not read
	e       *ydoc.Editor
	merged  bool
	written []Change // the new sources of existing cells
}

func (o *overwriting) run() error {
	now := make([]ydoc.Cell, o.e.Len())
	for i := range now {
		c, _ := o.e.CellAt(i)
		now[i] = c
	}
	match := matchCells(now, o.file.Cells)
	if err := o.remove(now, lo.SliceToMap(match, func(at int) (int, bool) { return at, true })); err != nil {
		return err
	}
	stay := lo.Filter(lo.Range(len(o.file.Cells)), func(i, _ int) bool { return match[i] >= 0 }) // cells of the file that exist
	if err := refusedOf(stay, func(i int) error { return o.change(now[match[i]], o.file.Cells[i]) }); err != nil {
		return err
	}
	if err := o.arrange(now, match); err != nil {
		return err
	}
	return setKeys(o.e.Metadata(), o.file.Metadata, o.e.SetMetadata, o.e.DeleteMetadata)
}

// matchCells finds the existing cell for each cell of the file, -1 for none: the one with its id or, without an id, the next
// one with the same type and source.
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

// remove deletes the cells that are not in the file. It fails if the client has not read the current text of one of them.
func (o *overwriting) remove(now []ydoc.Cell, kept map[int]bool) error {
	gone := lo.Filter(now, func(_ ydoc.Cell, i int) bool { return !kept[i] })
	err := refusedOf(gone, func(c ydoc.Cell) error {
		if o.force {
			return nil
		}
		return o.mayDelete(o.e, c, o.base)
	})
	switch {
	case errors.As(err, new(*OutdatedError)):
		return fmt.Errorf("the new content leaves out unread text: %w", err)
	case err != nil:
		return err
	}
	return o.e.Delete(idsOf(gone)...)
}

// change gives an existing cell its content in the file.
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
		return nil // the run writes its outputs
	}
	var outputs []ydoc.Output
	var count *int
	if now.Type == ydoc.Code {
		outputs, count = now.Outputs, now.ExecutionCount
	}
	return o.setOutputs(now.ID, outputs, count, c)
}

// setSource writes a source as a change from the text that the client was shown.
func (o *overwriting) setSource(now ydoc.Cell, source string) error {
	source, err := restored(o.Reader, now, source)
	if err != nil {
		return err
	}
	c := Change{now.ID, source, o.base, o.force}
	if err := o.Reader.change(o.e, c); err != nil {
		return err
	}
	o.written = append(o.written, c)
	if after, _ := o.e.Cell(now.ID); after.Source != source {
		o.merged = true
	}
	return nil
}

func (o *overwriting) setCellMetadata(now ydoc.Cell, c ydoc.Cell) error {
	return setKeys(nbformat.Untrusted(now.Metadata), nbformat.Untrusted(c.Metadata),
		func(key string, v any) error { return o.e.SetCellMetadata(now.ID, key, v) },
		func(key string) error { return o.e.DeleteCellMetadata(now.ID, key) })
}

// setKeys replaces metadata, without touching keys whose values are equal.
func setKeys(now, want map[string]any, set func(key string, v any) error, remove func(key string) error) error {
	for _, k := range slices.Sorted(maps.Keys(now)) {
		if _, stays := want[k]; !stays {
			if err := remove(k); err != nil {
				return err
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if was, ok := now[k]; ok && equalPlain(was, want[k]) {
			continue
		}
		if err := set(k, want[k]); err != nil {
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

// arrange puts the cells into the file's order, and inserts the new ones. The longest sequence of cells that are already in
// order stays in place.
func (o *overwriting) arrange(now []ydoc.Cell, match []int) error {
	stay := inOrder(match)
	at := 0 // where the next cell belongs: after the previous one
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
	if _, err := datauri.Restore(c.Source); err != nil {
		return fmt.Errorf("nothing was changed: the source of a new cell %w", err)
	}
	metadata := nbformat.Untrusted(c.Metadata)
	ids, err := o.e.Insert(at, ydoc.NewCell{ID: c.ID, Type: c.Type, Source: c.Source, Metadata: metadata, Attachments: c.Attachments})
	if err != nil || c.Type != ydoc.Code {
		return err
	}
	return o.setOutputs(ids[0], nil, nil, c)
}

// inOrder marks the longest ascending subsequence of the matched cells.
func inOrder(match []int) []bool {
	var cells, places []int
	for i, at := range match {
		if at >= 0 {
			cells, places = append(cells, i), append(places, at)
		}
	}
	stay := make([]bool, len(match))
	for _, i := range textdiff.Ascending(places) {
		stay[cells[i]] = true
	}
	return stay
}

// equalPlain compares plain JSON values, ignoring the Go types of numbers.
func equalPlain(a, b any) bool { return reflect.DeepEqual(plainValue(a), plainValue(b)) }

// plainValue returns a JSON value with each number as a float64.
func plainValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plainValue(e)
		}
		return out
	case []any:
		return lo.Map(v, func(e any, _ int) any { return plainValue(e) })
	case int:
		return float64(v)
	case json.Number:
		f, _ := v.Float64()
		return f
	}
	return v
}
