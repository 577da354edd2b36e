package undo

import (
	"cmp"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// inverse stages the reverse of edits that another replica has made. It merges each with the notebook as it is now:
// later changes of others stay.
type inverse struct {
	e *ydoc.Editor
	o *Outcome
}

// revert stages the reverse of one edit.
func (i inverse) revert(edits []ydoc.CellEdit) error {
	if carries(edits) && slices.ContainsFunc(edits, i.clashes) {
		for _, edit := range edits {
			i.keep(edit.ID)
		}
		return nil
	}
	var placed []ydoc.CellEdit
	for _, edit := range edits {
		now, exists := i.e.Cell(edit.ID)
		var err error
		switch {
		case edit.After == nil && exists:
			i.keep(edit.ID)
		case edit.After == nil:
			placed = append(placed, edit)
		case !exists && edit.Before != nil:
			i.o.Gone = lo.Union(i.o.Gone, []string{edit.ID})
		case !exists:
		case edit.Before == nil:
			err = i.remove(edit, now)
		default:
			if edit.Moved && i.stands(edit) {
				placed = append(placed, edit)
			} else if edit.Moved {
				i.keep(edit.ID)
			}
			err = i.change(edit, now)
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(placed, func(a, b ydoc.CellEdit) int { return cmp.Compare(a.Before.Index, b.Before.Index) })
	for _, edit := range placed {
		if err := i.place(edit); err != nil {
			return err
		}
	}
	return nil
}

// carries reports whether an edit may have carried text from one cell to another, as a split does. It is reverted as a whole,
// because a part would leave text twice or nowhere.
func carries(edits []ydoc.CellEdit) bool {
	changes := func(e ydoc.CellEdit) bool { return e.Before != nil && e.After != nil }
	return slices.ContainsFunc(edits, changes) && !lo.EveryBy(edits, changes)
}

// clashes reports whether others have changed the words that the reverse of an edit would change.
func (i inverse) clashes(edit ydoc.CellEdit) bool {
	now, exists := i.e.Cell(edit.ID)
	switch {
	case edit.After == nil:
		return exists
	case !exists:
		return edit.Before != nil
	}
	text := ""
	if edit.Before != nil {
		text = edit.Before.Source
	}
	_, err := textdiff.Merge(edit.After.Source, now.Source, text)
	return err != nil || ydoc.Locks(now.Metadata[ydoc.KeyEditable])
}

// keep notes that a cell was left as it is.
func (i inverse) keep(id string) { i.o.Kept = lo.Union(i.o.Kept, []string{id}) }

// stands reports whether a moved cell is still beside one of the cells that it was moved to.
func (i inverse) stands(edit ydoc.CellEdit) bool {
	at, _ := i.e.Index(edit.ID)
	before, _ := i.e.IDAt(at - 1)
	after, _ := i.e.IDAt(at + 1)
	return before == edit.After.Previous || after == edit.After.Next
}

// remove removes an added cell or, if others have written in it, only the text that was added.
func (i inverse) remove(edit ydoc.CellEdit, now ydoc.Cell) error {
	if now.Source == edit.After.Source && !ydoc.Locks(now.Metadata[ydoc.KeyDeletable]) {
		return i.e.Delete(edit.ID)
	}
	i.keep(edit.ID)
	return i.write(edit.ID, now, edit.After.Source, "")
}

// change gives a cell its former type and source.
func (i inverse) change(edit ydoc.CellEdit, now ydoc.Cell) error {
	if ydoc.Locks(now.Metadata[ydoc.KeyEditable]) {
		i.keep(edit.ID)
		return nil
	}
	if edit.Before.Type != edit.After.Type && now.Type == edit.After.Type {
		if err := i.e.SetType(edit.ID, edit.Before.Type); err != nil {
			return err
		}
	}
	return i.write(edit.ID, now, edit.After.Source, edit.Before.Source)
}

// write changes a cell's source as from was to text, unless others have changed the same words.
func (i inverse) write(id string, now ydoc.Cell, was, text string) error {
	edits, err := textdiff.Merge(was, now.Source, text)
	if err != nil || ydoc.Locks(now.Metadata[ydoc.KeyEditable]) {
		i.keep(id)
		return nil //nolint:nilerr // a conflict leaves the cell
	}
	return i.e.SetSource(id, textdiff.Apply(now.Source, edits))
}

// place restores a deleted cell, or moves a cell back.
func (i inverse) place(edit ydoc.CellEdit) error {
	to := min(edit.Before.Index, i.e.Len())
	if edit.Before.Previous == "" {
		to = 0
	} else if previous, ok := i.e.Index(edit.Before.Previous); ok {
		to = previous + 1
	} else if next, ok := i.e.Index(edit.Before.Next); ok {
		to = next
	}
	if edit.After != nil {
		if at, _ := i.e.Index(edit.ID); at < to {
			to--
		}
		return i.e.Move(edit.ID, to)
	}
	if edit.Before.Bare {
		i.o.Bare = append(i.o.Bare, edit.ID)
	}
	_, err := i.e.Insert(to, ydoc.NewCell{ID: edit.ID, Type: edit.Before.Type, Source: edit.Before.Source, Metadata: edit.Before.Metadata})
	return err
}
