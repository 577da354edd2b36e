package notebook

import (
	"context"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type deleteArgs struct {
	desk.InNotebook
	Ranges []desk.CellRange `json:"ranges" jsonschema:"Cells to delete."`
}

// Refine implements tool.Refiner.
func (deleteArgs) Refine(f tool.Fields) { f.Field("ranges").Limit(1, desk.MaxRanges) }

// A DeleteResult is the answer of delete_nb_cells.
type DeleteResult struct {
	Message string `json:"message"`
	Deleted int    `json:"deleted_cells"`
}

// deleteNbCells makes delete_nb_cells.
func deleteNbCells(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "delete_nb_cells",
		Title:   "Delete notebook cells",
		Toolset: tool.ToolsetNotebook,
		Description: "Deletes the cells of the ranges, all together. Indexes name the cells as you were last shown them, in any order; a cell named twice is deleted once. " +
			"Use it only for cells that nobody needs: their outputs go with them. If all cells are deleted, one empty code cell takes their place.",
		Hints:  tool.Hints{Destructive: true},
		Input:  tool.ArgumentsOf[deleteArgs](nil),
		Output: tool.DocumentResultOf[DeleteResult](nil),
		Handle: tool.Typed(func(ctx context.Context, args deleteArgs) (*tool.Answer, error) {
			doc, err := d.Open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cells, err := desk.CellsOf(args.Ranges, desk.ViewOf(ctx, doc))
			if err != nil {
				return nil, err
			}
			var ids []string
			for _, c := range cells {
				ids = append(ids, c.ID)
			}
			// If no cell is left, the same transaction adds an empty one.
			err = doc.Edit(ctx, "delete cells", func(e *ydoc.Editor) error { return e.Delete(ids...) })
			if err != nil {
				return nil, err
			}
			doc.Rearranged(tool.ClientOf(ctx), ids...)
			out := DeleteResult{"Successfully deleted " + words.Plural(len(ids), "cell"), len(ids)}
			return &tool.Answer{Body: out, Doc: doc}, nil
		}),
	}
}
