package readset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// A client's cell indexes refer to the list of cells that it was last shown. Others may have inserted, deleted and moved
// cells since: the cell that is now at the same index may be unknown to the client. So the list is kept for each client, by
// the file's id, for longer than the document is open.

func (r Reader) listKey() shownKey { return shownKey{client: r.client, file: r.doc.FileID()} }

// List records that a client was shown a notebook with these cells, and the positions of some of them. From then on all
// indexes refer to this notebook.
func (r Reader) List(cells []ydoc.Cell, indexes ...int) {
	r.memory.lists.replace(r.listKey(), func(was *list) *list {
		now := idsOf(cells)
		if was == nil {
			return &list{ids: now}
		}
		next := was.next(now, was.ids)
		for _, i := range indexes {
			delete(next.moved, now[i])
		}
		return next
	})
}

// Refuse records that a call was refused when the client was shown its list: the indexes of that call do not refer to the
// list.
func (r Reader) Refuse(call uint64) {
	r.memory.lists.replace(r.listKey(), func(was *list) *list {
		if was == nil {
			return nil
		}
		next := *was
		next.refused = call
		return &next
	})
}

// Refused reports whether the call was refused and the client was shown nothing else of the notebook since.
func (r Reader) Refused(call uint64) bool {
	known, ok := r.memory.lists.Get(r.listKey())
	return ok && call != 0 && known.refused == call
}

// MovedSince begins the line of [Reader.Moved].
const MovedSince = "moved since: "

// movedMost is the maximum number of cells in the line of [Reader.Moved].
const movedMost = 5

// Moved returns, once, a line about the cells that others moved and whose new places the client was not shown, or "".
func (r Reader) Moved() string {
	var parts []string
	more := 0
	r.memory.lists.replace(r.listKey(), func(was *list) *list {
		if was == nil || len(was.moved) == 0 {
			return was
		}
		for i, id := range was.ids {
			switch c, there := r.doc.Notebook().Cell(id); {
			case !there || !was.moved[id]:
			case len(parts) == movedMost:
				more++
			default:
				parts = append(parts, fmt.Sprintf("%s is %d", beginning(c), i))
			}
		}
		next := *was
		next.moved = nil
		return &next
	})
	if len(parts) == 0 {
		return ""
	}
	parts[0] += " now"
	if more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return MovedSince + strings.Join(parts, ", ")
}

// beginning returns the first line of a cell, or its id if it has no source.
func beginning(c ydoc.Cell) string {
	line, _, _ := strings.Cut(strings.TrimSpace(textfmt.Plain(c.Source)), "\n")
	if line, _ = textfmt.Cut(line, 40); line == "" {
		return "the empty cell " + textfmt.Quoted(c.ID)
	}
	return line
}

// ListRange is List for up to count existing indexes from start.
func (r Reader) ListRange(cells []ydoc.Cell, start, count int) {
	var indexes []int
	for i := start; i < min(start+count, len(cells)); i++ {
		indexes = append(indexes, i)
	}
	r.List(cells, indexes...)
}

// Listed returns the current cells twice: at the indexes known to the client, and at their current ones. A deleted cell has
// only an id, see [Gone]. If the client was not shown the list, listed equals now, and ok reports whether it knows all
// cells.
func (r Reader) Listed() (listed, now []ydoc.Cell, ok bool) {
	now = r.doc.Notebook().Cells()
	known, ok := r.memory.lists.Get(r.listKey())
	if !ok {
		return now, now, !slices.ContainsFunc(now, func(c ydoc.Cell) bool {
			known, _ := r.Knows(c.ID, c.Source)
			return !known
		})
	}
	byID := lo.SliceToMap(now, func(c ydoc.Cell) (string, ydoc.Cell) { return c.ID, c })
	listed = make([]ydoc.Cell, len(known.ids))
	for i, id := range known.ids {
		listed[i] = byID[id]
		listed[i].ID = id // a deleted cell has only this
	}
	return listed, now, true
}

// Left returns the ids of cells that the client was once shown, besides those of [Reader.Listed]: cells that it has deleted
// itself, or that were gone when it was shown the notebook again. Some may exist again.
func (r Reader) Left() []string {
	known, ok := r.memory.lists.Get(r.listKey())
	if !ok {
		return nil
	}
	return slices.Clone(known.left)
}

// Gone reports whether a cell of [Reader.Listed] no longer exists.
func Gone(c ydoc.Cell) bool { return c.Type == "" && c.Fault == "" }

// rearrange makes an edit that moves or deletes cells, after which the client knows their places.
func (r Reader) rearrange(ctx context.Context, name string, ids []string, edit func(*ydoc.Editor) error) error {
	if err := r.doc.Edit(ctx, name, edit); err != nil {
		return err
	}
	r.Rearranged(ids...)
	return nil
}

// Rearranged records that a client itself has just inserted, deleted or moved the cells with these ids: all indexes refer to
// the current notebook.
func (r Reader) Rearranged(ids ...string) {
	now := r.doc.Notebook().IDs()
	r.memory.lists.replace(r.listKey(), func(was *list) *list {
		if was == nil {
			return nil
		}
		own := &list{}
		for _, id := range was.ids {
			if !slices.Contains(ids, id) {
				own.ids = append(own.ids, id)
			}
		}
		for at, id := range now {
			if slices.Contains(ids, id) {
				own.ids = slices.Insert(own.ids, own.after(now[:at]), id)
			}
		}
		next := was.next(now, own.ids)
		for _, id := range ids {
			delete(next.moved, id)
		}
		return next
	})
}

func idsOf(cells []ydoc.Cell) []string {
	return lo.Map(cells, func(c ydoc.Cell, _ int) string { return c.ID })
}
