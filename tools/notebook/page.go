package notebook

import (
	"cmp"
	"context"
	"fmt"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// A cellPage has the requested cells that fit in one answer.
type cellPage struct {
	cells     []CellView
	images    []tool.Image
	truncated bool
	left      []int // indexes that did not fit
	message   string
}

// A rendering makes the image sets of answers.
type rendering struct {
	newSet func(expected int) *render.ImageSet
	from   func(ydoc.Cell) images.Origin
	// contents decodes a cell's outputs.
	contents func([]ydoc.Output) render.Contents
	// budget is the maximum size of the answer; 0 for the general limit.
	budget int
	// unconfirmed reports whether a cell has edits that the server has not confirmed; nil for none.
	unconfirmed func(cell string) bool
}

// renderingOf returns the rendering of a notebook.
func renderingOf(ctx context.Context, d *deps.Deps, doc *session.Document) rendering {
	return rendering{
		newSet:   d.Images.Sets(ctx),
		from:     func(c ydoc.Cell) images.Origin { return d.Images.OfCell(ctx, doc, c) },
		contents: func(o []ydoc.Output) render.Contents { return d.ContentsFor(ctx, o) },

		unconfirmed: doc.Unconfirmed,
	}
}

// showCells cuts cells to size and takes as many as fit in an answer: at least one, cut further if needed.
func showCells(cells []ydoc.Cell, indexes []int, limit int, show rendering) (cellPage, error) {
	page := cellPage{cells: []CellView{}}
	expected := lo.SumBy(indexes, func(at int) int { return render.PicturesIn(shownBelow(cells[at])) })
	pictures := show.newSet(expected)
	pictures.Again = len(indexes) == 1 // one cell is read again for its pictures
	used := 4000                       // for the fields around the cells
	budget := cmp.Or(show.budget, tool.AnswerBudget)
	for n, at := range indexes {
		before := len(pictures.Images)
		c, outputs := cells[at], show.contents(shownBelow(cells[at]))
		pictures.From = show.from(c)
		lim := render.OutputLimits{Each: limit, Total: budget / 2, Count: render.MaxOutputs} // every character is sent twice
		view, edited := showCell(c, at, limit, outputs, lim, pictures), show.unconfirmed != nil && show.unconfirmed(c.ID)
		view.Unconfirmed = edited
		takes, err := view.takes(pictures.Images[before:])
		for err == nil && n == 0 && used+takes > budget && !lim.None() {
			lim = lim.Halved()
			pictures.Rollback(before)
			view = showCell(c, at, min(limit, lim.Total), outputs, lim, pictures)
			view.Unconfirmed = edited
			takes, err = view.takes(pictures.Images[before:])
		}
		if err != nil {
			return cellPage{}, err
		}
		if used+takes > budget {
			pictures.Rollback(before)
			page.truncated = true
			page.left = indexes[n:]
			page.message = fmt.Sprintf("%s did not fit in this answer: read them with next_cursor", textfmt.Plural(len(indexes)-n, "cell"))
			break
		}
		used += takes
		page.cells = append(page.cells, view)
		page.truncated = page.truncated || view.cut()
	}
	page.images = pictures.Images
	return page, nil
}

// shownBelow returns the outputs that an answer shows below a cell's source: the images in the source and its attachments,
// and a code cell's own outputs.
func shownBelow(c ydoc.Cell) []ydoc.Output {
	out := render.PicturesOf(c)
	if c.Type == ydoc.Code {
		out = append(out, c.Outputs...)
	}
	return out
}

// takes returns the size of the cell and its images in an answer, in bytes.
func (v CellView) takes(images []tool.Image) (int, error) {
	b, err := tool.Compact(v)
	if err != nil {
		return 0, tool.Fault{Err: fmt.Errorf("write cell %s: %w", v.ID, err)}
	}
	return tool.WireSize(b, images)
}
