package analysis

import (
	"context"

	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
)

type notebookGetArgs struct {
	ownNotebook
	notebook.ReadOn
}

// Refine implements tool.Refiner.
func (notebookGetArgs) Refine(f tool.Fields) {
	f.Field("cursor").Say("next_cursor of an earlier answer: continues where it ended, even if cells have moved since.")
}

// notebookGet makes notebook_get.
func notebookGet(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "notebook_get",
		Title:       "Read a notebook",
		Description: "Reads all cells of a notebook with sources and outputs, including people's unsaved edits. Use it before editing and to get cell ids. Long text is cut in the middle and marked. Cells that do not fit in one answer follow with next_cursor.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.DocumentResultOf[notebook.ReadResult](nil),
		Call: tool.Typed(func(ctx context.Context, args notebookGetArgs) (*tool.Answer, error) {
			doc, err := args.open(ctx, d)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			return notebook.ReadCells(ctx, d, doc, notebook.ReadArgs{ReadOn: args.ReadOn})
		}),
	}
}
