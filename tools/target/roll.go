package target

import (
	"context"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

// A Roll names the cells of a notebook, as they are at one moment, for an answer in words. Cells that the answer names count
// as shown to the client.
type Roll struct {
	doc    *session.Document
	client string
	cells  []ydoc.Cell
	at     map[string]int
	short  func(id string) string
}

// RollOf returns the roll of a notebook for the client of ctx.
func RollOf(ctx context.Context, doc *session.Document) *Roll {
	r := &Roll{doc: doc, client: tool.ClientOf(ctx), cells: doc.Notebook().Cells(), at: map[string]int{}}
	for i, c := range r.cells {
		r.at[c.ID] = i
	}
	r.short = ViewOf(ctx, doc).ShortIDs()
	return r
}

// Cell names a cell. A deleted cell has the index -1.
func (r *Roll) Cell(id string) plaintext.Cell {
	at, ok := r.at[id]
	if !ok {
		at = -1
	}
	return plaintext.Cell{Index: at, ID: r.short(id)}
}

// Show records that the client is shown the indexes of these cells.
func (r *Roll) Show(ids ...string) {
	r.doc.As(r.client).List(r.cells, lo.FilterMap(ids, func(id string, _ int) (int, bool) { i, ok := r.at[id]; return i, ok })...)
}

// namedAtOnce is the maximum number of cells that a line names.
const namedAtOnce = 50

// Names names cells in a line, by index and id: "3 4f2a", "3-5 4f2a 99bc 1c2d", "3 4f2a, 7 99bc".
func (r *Roll) Names(ids ...string) string {
	r.Show(ids...)
	return r.Named(ids...)
}

// Named is Names without recording that the client is shown the cells.
func (r *Roll) Named(ids ...string) string {
	more := ""
	if n := len(ids) - namedAtOnce; n > 0 {
		ids, more = ids[:namedAtOnce], fmt.Sprintf(" and %d more", n)
	}
	var parts []string
	for len(ids) > 0 {
		first := r.Cell(ids[0])
		n := 1
		for n < len(ids) && first.Index >= 0 && r.Cell(ids[n]).Index == first.Index+n {
			n++
		}
		if n == 1 {
			parts = append(parts, first.Name())
		} else {
			part := fmt.Sprintf("%d-%d", first.Index, first.Index+n-1)
			for _, id := range ids[:n] {
				part += " " + plaintext.ID(r.short(id))
			}
			parts = append(parts, part)
		}
		ids = ids[n:]
	}
	return strings.Join(parts, ", ") + more
}

// Len returns the number of cells.
func (r *Roll) Len() int { return len(r.cells) }

// Has reports whether the cell exists.
func (r *Roll) Has(id string) bool { _, ok := r.at[id]; return ok }

// CellWords is [tool.Words] for an answer that names cells of a notebook. From then on the client's indexes mean the current
// positions.
func CellWords(ctx context.Context, doc *session.Document, write func(*Roll) plaintext.Text) func() plaintext.Text {
	if !tool.InWords(ctx) {
		doc.As(tool.ClientOf(ctx)).List(doc.Notebook().Cells())
		return nil
	}
	roll := RollOf(ctx, doc)
	return func() plaintext.Text { return write(roll) }
}
