package tools

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/ydoc"
)

// A cellPage is as many of the cells asked for as fit in one answer.
type cellPage struct {
	cells     []cellView
	images    []image
	truncated bool
	left      []int // indexes that did not fit
	message   string
}

// A shower shows the images of cells.
type shower struct {
	tray func(expected int) *tray
	from func(ydoc.Cell) images.Origin
}

// showerOf shows those of a notebook.
func showerOf(ctx context.Context, g *gallery, doc *session.Document) shower {
	return shower{
		tray: g.trays(ctx),
		from: func(c ydoc.Cell) images.Origin { return g.ofCell(ctx, doc, c) },
	}
}

// showCells cuts cells to size and takes as many as an answer holds: at least one, cut further if need be.
func showCells(cells []ydoc.Cell, indexes []int, limit int, show shower) (cellPage, error) {
	page := cellPage{cells: []cellView{}}
	expected := 0
	for _, at := range indexes {
		expected += picturesIn(cells[at].Outputs)
	}
	pictures := show.tray(expected)
	used := 4000 // for what stands around the cells
	for n, at := range indexes {
		mark := pictures.mark()
		c, outputs := cells[at], contentsOf(cells[at].Outputs)
		pictures.from = show.from(c)
		lim := outputLimits{each: limit, total: answerRoom / 2, count: maxOutputs} // every character is sent twice
		view := showCell(c, at, limit, outputs, lim, pictures)
		takes, err := view.takes(pictures.images[mark:])
		for err == nil && n == 0 && used+takes > answerRoom && !lim.none() {
			lim = lim.halved()
			pictures.back(mark)
			view = showCell(c, at, min(limit, lim.total), outputs, lim, pictures)
			takes, err = view.takes(pictures.images[mark:])
		}
		if err != nil {
			return cellPage{}, err
		}
		if used+takes > answerRoom {
			pictures.back(mark)
			page.truncated = true
			page.left = indexes[n:]
			page.message = fmt.Sprintf("%s did not fit in this answer: read them with next_cursor", plural(len(indexes)-n, "cell"))
			break
		}
		used += takes
		page.cells = append(page.cells, view)
		page.truncated = page.truncated || view.cut()
	}
	page.images = pictures.images
	return page, nil
}

// takes is the room that the cell and its images need in an answer.
func (v cellView) takes(images []image) (int, error) {
	b, err := compact(v)
	if err != nil {
		return 0, fault{fmt.Errorf("write cell %s: %w", v.ID, err)}
	}
	return wireSize(b, images)
}
