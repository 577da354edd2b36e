package notebook

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

type deleteArgs struct {
	desk.InNotebook
	Ranges []Deletion `json:"ranges" jsonschema:"Cells to delete."`
	desk.Forced
}

// Refine implements tool.Refiner.
func (deleteArgs) Refine(f tool.Fields) { f.Field("ranges").Limit(1, desk.MaxRanges) }

// A Deletion names cells to delete.
type Deletion struct {
	desk.CellRange
	Revision string `json:"revision,omitempty" jsonschema:"The cell's revision that you have read, if this names one cell. Left out: the one you were shown."`
}

// Refine implements tool.Refiner.
func (Deletion) Refine(f tool.Fields) { f.Field("revision").Limit(1, 20) }

// deletions are the cells to delete, each once.
func (a deleteArgs) deletions(v desk.View) ([]session.Deletion, error) {
	var out []session.Deletion
	named := map[string]bool{}
	for n, r := range a.Ranges {
		what := fmt.Sprintf("ranges[%d]", n)
		cells, err := r.Cells(what, v)
		if err != nil {
			return nil, err
		}
		base, err := baseOf(what, r.Revision, len(cells))
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			if !named[c.ID] {
				named[c.ID] = true
				out = append(out, session.Deletion{Cell: c.ID, Base: base})
			}
		}
	}
	return out, nil
}

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
			"A cell that you have not read as it is now is refused, with the difference. Use it only for cells that nobody needs: their outputs go with them. If all cells are deleted, one empty code cell takes their place.",
		Hints:  tool.Hints{Destructive: true},
		Input:  tool.ArgumentsOf[deleteArgs](nil),
		Output: tool.DocumentResultOf[DeleteResult](nil),
		Handle: tool.Typed(func(ctx context.Context, args deleteArgs) (*tool.Answer, error) {
			doc, err := d.Open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cells, err := args.deletions(desk.ViewOf(ctx, doc))
			if err != nil {
				return nil, err
			}
			// If no cell is left, the same transaction adds an empty one.
			if err := doc.Delete(ctx, tool.ClientOf(ctx), cells, args.Force); err != nil {
				return nil, err
			}
			out := DeleteResult{"Successfully deleted " + words.Plural(len(cells), "cell"), len(cells)}
			return &tool.Answer{Body: out, Doc: doc}, nil
		}),
	}
}
