package tools

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/ydoc"
)

const (
	maxNewCells    = 200
	maxChanged     = 1000      // cells
	maxSource      = 1_000_000 // characters of one cell's source
	maxSourceTotal = 4_000_000 // bytes of all sources of a call
)

func contentSchema(description string) schema {
	return text(description+" Line ends are stored as \\n.").length(0, maxSource)
}

// checkTotal bounds what one call brings along.
func checkTotal(sources ...string) error {
	n := 0
	for _, s := range sources {
		n += len(s)
	}
	if n > maxSourceTotal {
		return fmt.Errorf("the contents are %s together, more than the %s allowed in one call: spread them over several calls",
			kilobytes(n), kilobytes(maxSourceTotal))
	}
	return nil
}

type deleteArgs struct {
	Path   string      `json:"path"`
	Ranges []cellRange `json:"ranges"`
}

type deleteResult struct {
	Message string `json:"message"`
	Deleted int    `json:"deleted_cells"`
}

// deleteNbCells makes delete_nb_cells.
func deleteNbCells(d *deps) tool {
	return tool{
		name:    "delete_nb_cells",
		title:   "Delete notebook cells",
		toolset: toolsetNotebook,
		description: "Deletes the cells of the ranges, all together. Indexes mean the cells as they are when the call begins, and may be named in any order; a cell named twice is deleted once. " +
			"Use it only for cells that nobody needs: their outputs go with them. When all cells are deleted, one empty code cell takes their place.",
		marks: marks{destructive: true},
		input: arguments(
			required("path", pathSchema()),
			required("ranges", rangesSchema("Cells to delete.", 1)),
		),
		output: object("", append([]property{
			required("message", text("")),
			required("deleted_cells", integer("")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args deleteArgs) (*answer, error) {
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cells := doc.Notebook().Cells()
			indexes, err := resolve(args.Ranges, cells)
			if err != nil {
				return nil, err
			}
			var ids []string
			for _, at := range indexes {
				ids = append(ids, cells[at].ID)
			}
			// The last cell of all is replaced by an empty one in the same transaction.
			err = doc.Edit(ctx, "delete cells", func(e *ydoc.Editor) error { return e.Delete(ids...) })
			if err != nil {
				return nil, err
			}
			out := deleteResult{"Successfully deleted " + plural(len(ids), "cell"), len(ids)}
			return &answer{body: out, doc: doc}, nil
		}),
	}
}
