package tools

import "context"

type notebookGetArgs struct {
	notebookName
	Cursor string `json:"cursor"`
	Max    *int   `json:"maxCellData"`
}

// notebookGet makes notebook_get.
func notebookGet(d *deps) tool {
	return tool{
		name:    "notebook_get",
		title:   "Read a notebook",
		toolset: toolsetCells,
		description: "Reads all cells of a notebook with their sources and outputs, as they are in the shared document now, what people have typed and not yet saved included. " +
			"Use it before editing, and for the cells' ids. Costs up to maxCellData characters for each source and each output; long text is cut in the middle and marked so. " +
			"Some images come beside the JSON, the others by address. Cells that do not fit in one answer are read with next_cursor.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(append(notebookNameProperties(),
			optional("cursor", text("The next_cursor of an answer: goes on where that answer ended, also where cells have moved since.").length(1, maxCursor)),
			maxCellDataProperty(),
		)...),
		output: readSchema(),
		handle: typed(func(ctx context.Context, args notebookGetArgs) (*answer, error) {
			doc, err := args.open(ctx, d)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			return d.readCells(ctx, doc, readArgs{Cursor: args.Cursor, Max: args.Max})
		}),
	}
}
