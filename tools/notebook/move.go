package notebook

import (
	"context"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type moveArgs struct {
	target.InNotebook
	Ranges   []ReadRange `json:"ranges" jsonschema:"In their new order." validate:"min=1,max=ranges"`
	Position *int        `json:"position,omitempty" jsonschema:"Index of the cell to move them before, as last shown: 0 is the top, the number of cells the end." validate:"max=index"`
	AfterID  string      `json:"after_id,omitempty" jsonschema:"Or the id of the cell to move them after." validate:"min=1,max=id,cellid"`
	target.Forced
	target.Reasoned
}

// A MoveResult is the answer of move_nb_cells.
type MoveResult struct {
	Message  string   `json:"message"`
	Position int      `json:"position" jsonschema:"Index of the first of them now."`
	CellIDs  []string `json:"cell_ids" jsonschema:"The moved cells, in their order now."`
	Revision string   `json:"revision" changes:"the notebook"`
}

// moveNbCells makes move_nb_cells.
func moveNbCells(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "move_nb_cells",
		Title:       "Move notebook cells",
		Toolset:     tool.ToolsetPair,
		Description: "Moves cells of a notebook to another place. They keep their ids, outputs and metadata. A cell in which a person is typing is not moved.",
		Output:      tool.DocumentResultOf[MoveResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args moveArgs) (*tool.Answer, error) {
			view := target.ViewOf(ctx, doc)
			cells, err := readCells(args.Ranges, view)
			if err != nil {
				return nil, err
			}
			if len(cells) > tool.MaxChanged {
				return nil, fmt.Errorf("the ranges name %s, more than the %s allowed in one call; nothing was moved", textfmt.Plural(len(cells), "cell"), textfmt.Thousands(tool.MaxChanged))
			}
			before, position, err := insertArgs{Position: args.Position, AfterID: args.AfterID}.position(view)
			if err != nil {
				return nil, err
			}
			out := MoveResult{CellIDs: readset.CellsOf(cells)}
			if err := doc.As(tool.ClientOf(ctx)).MoveCells(ctx, cells, func(e *ydoc.Editor) string {
				return cellBefore(e, before, position, out.CellIDs)
			}, args.Force); err != nil {
				return nil, err
			}
			out.Revision = target.Revision(target.Now(doc))
			out.Position, _ = doc.Notebook().Index(out.CellIDs[0])
			out.Message = fmt.Sprintf("Successfully moved %s to index %d", textfmt.Plural(len(cells), "cell"), out.Position)
			return &tool.Answer{Body: &out, Doc: doc, Words: target.CellWords(ctx, doc, out.words)}, nil
		}),
	}
}

// cellBefore returns the cell before a position among the cells before, other than the moved ones; "" for none.
func cellBefore(e *ydoc.Editor, before []ydoc.Cell, position int, moved []string) string {
	for at := Placed(e, before, position) - 1; at >= 0; at-- {
		if id, _ := e.IDAt(at); !slices.Contains(moved, id) {
			return id
		}
	}
	return ""
}
