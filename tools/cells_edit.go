package tools

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

type addCellArgs struct {
	notebookName
	Type     string `json:"cell_type"`
	Source   string `json:"source"`
	Position *int   `json:"position"`
}

// A cellResult is a cell after a call that made or changed it.
type cellResult struct {
	Message  string `json:"message"`
	Path     string `json:"path"`
	CellID   string `json:"cell_id"`
	Index    *int   `json:"cell_index"`
	Count    int    `json:"cell_count"`
	Revision string `json:"revision,omitempty"`
}

func cellResultProperties(more ...property) []property {
	return append(append([]property{
		required("message", text("")),
		required("path", text("The notebook, without a leading slash.")),
		required("cell_id", text("The cell, for the next call.")),
		required("cell_index", integer("Where it is now; null where somebody has deleted it meanwhile.").orNull()),
		required("cell_count", integer("Cells in the notebook now.")),
		optional("revision", revisionSchema("the cell")),
	}, more...), savedProperties()...)
}

// cellResultOf describes a cell as it is now.
func cellResultOf(doc *session.Document, id, message string) cellResult {
	nb := doc.Notebook()
	out := cellResult{Message: message, Path: doc.Path(), CellID: id, Count: nb.Len()}
	if at, ok := nb.Index(id); ok {
		out.Index = &at
	}
	if c, ok := nb.Cell(id); ok {
		out.Revision = revision(c.Revision)
	}
	return out
}

// notebookAddCell makes notebook_add_cell.
func notebookAddCell(d *deps) tool {
	return tool{
		name:    "notebook_add_cell",
		title:   "Add a cell",
		toolset: toolsetCells,
		description: "Adds one cell to a notebook, at its end or at position, without running it; people who have the notebook open see it at once. " +
			"Use it to write down what was found; execute_cell runs a cell of the session's own notebook, and execute_code adds a cell there and runs it. Costs little.",
		marks: marks{},
		input: arguments(
			sessionProperty(),
			required("notebook_name", text(notebookNameText).length(1, 4096)),
			required("cell_type", cellTypeSchema()),
			required("source", contentSchema("Source of the cell.")),
			optional("position", integer("Index that the cell will have: 0 is the top, the number of cells the end. Left out: the end.").between(0, maxIndex)),
		),
		output: object("", cellResultProperties()...),
		handle: typed(func(ctx context.Context, args addCellArgs) (*answer, error) {
			source := lines(args.Source)
			if marked(source) {
				return nil, fmt.Errorf("source %s; nothing was added", markedWhy)
			}
			doc, err := args.open(ctx, d)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			before := doc.Notebook().Cells()
			if p := args.Position; p != nil && (*p < 0 || *p > len(before)) {
				return nil, fmt.Errorf("position %d is out of range: %s, and %d appends; nothing was added", *p, holds(len(before)), len(before))
			}
			ids, err := d.insertAt(ctx, doc, []ydoc.NewCell{{Type: args.Type, Source: source}}, func(e *ydoc.Editor) int {
				if args.Position == nil {
					return e.Len()
				}
				return placed(e, before, *args.Position)
			})
			if err != nil {
				return nil, err
			}
			return &answer{doc: doc, body: cellResultOf(doc, ids[0], "Successfully added a "+args.Type+" cell")}, nil
		}),
	}
}

type editCellArgs struct {
	notebookName
	cellName
	Source   string `json:"source"`
	Revision string `json:"revision"`
}

type editCellResult struct {
	cellResult
	Merged    *string `json:"merged_source,omitempty"`
	Truncated bool    `json:"truncated,omitempty"`
}

// notebookEditCell makes notebook_edit_cell.
func notebookEditCell(d *deps) tool {
	return tool{
		name:    "notebook_edit_cell",
		title:   "Change a cell",
		toolset: toolsetCells,
		description: "Gives a cell of a notebook a new source, without running it; people who have the notebook open see it at once. " +
			"The new source is taken as a change from what you were last shown of the cell (by reading or writing it) and merged with what people have typed since, which is never lost: " +
			"where both changed the same words, nothing is written and the differences are returned; read the cell again then. Read before you change. Costs little.",
		marks: marks{destructive: true},
		input: arguments(append(append(notebookNameProperties(), cellProperties()...),
			required("source", contentSchema("The whole new source.")),
			optional("revision", text("The cell's revision that the new source is a change from. Left out: the one you were last shown.").length(1, 20)),
		)...),
		output: object("", cellResultProperties(
			optional("merged_source", text("The source now, where it is another than the one given, because somebody changed it at the same time.")),
			optional("truncated", boolean("Whether merged_source was cut: read the cell then.")),
		)...),
		handle: typed(func(ctx context.Context, args editCellArgs) (*answer, error) {
			if err := args.check(); err != nil {
				return nil, err
			}
			if _, err := strconv.ParseUint(args.Revision, 10, 64); err != nil && args.Revision != "" {
				return nil, fmt.Errorf("revision %s is not a revision: give it as notebook_get has it; nothing was changed", quoted(args.Revision))
			}
			doc, cell, err := d.openCell(ctx, args.notebookName, args.cellName)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			changed, err := d.modify(ctx, doc, []modification{{Range: cellRange{ID: cell.ID}, Content: args.Source, Revision: args.Revision}})
			if err != nil {
				return nil, err
			}
			out := editCellResult{cellResult: cellResultOf(doc, cell.ID, "Successfully changed the cell")}
			if len(changed.merged) > 0 {
				m := changed.merged[0]
				out.Merged, out.Truncated, out.Revision = &m.Source, m.Truncated, m.Revision
				out.Message += ", merged with what others have changed"
			}
			return &answer{doc: doc, body: out}, nil
		}),
	}
}

type deleteCellArgs struct {
	notebookName
	cellName
}

type deleteCellResult struct {
	Message string `json:"message"`
	Path    string `json:"path"`
	Deleted string `json:"deleted_cell_id"`
	Next    string `json:"next_cell_id"`
	Count   int    `json:"cell_count"`
}

// notebookDeleteCell makes notebook_delete_cell.
func notebookDeleteCell(d *deps) tool {
	return tool{
		name:    "notebook_delete_cell",
		title:   "Delete a cell",
		toolset: toolsetCells,
		description: "Deletes a cell of a notebook with its outputs; people who have the notebook open see it at once. " +
			"Use it only for a cell that nobody needs. When it was the only one, an empty code cell takes its place. Costs little.",
		marks: marks{destructive: true},
		input: arguments(append(notebookNameProperties(), cellProperties()...)...),
		output: object("", append([]property{
			required("message", text("")),
			required("path", text("The notebook, without a leading slash.")),
			required("deleted_cell_id", text("")),
			required("next_cell_id", text("The cell that stands in its place now, or the last one.")),
			required("cell_count", integer("Cells in the notebook now.")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args deleteCellArgs) (*answer, error) {
			if err := args.check(); err != nil {
				return nil, err
			}
			doc, cell, err := d.openCell(ctx, args.notebookName, args.cellName)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			at := 0
			err = doc.Edit(ctx, "delete cell", func(e *ydoc.Editor) error {
				at, _ = e.Index(cell.ID)
				return e.Delete(cell.ID)
			})
			if err != nil {
				return nil, err
			}
			left := doc.Notebook().Cells()
			out := deleteCellResult{Message: "Successfully deleted the cell", Path: doc.Path(), Deleted: cell.ID, Count: len(left)}
			if len(left) > 0 {
				out.Next = left[min(at, len(left)-1)].ID
			}
			return &answer{doc: doc, body: out}, nil
		}),
	}
}

type moveCellArgs struct {
	notebookName
	cellName
	Position int `json:"position"`
}

// notebookMoveCell makes notebook_move_cell.
func notebookMoveCell(d *deps) tool {
	return tool{
		name:    "notebook_move_cell",
		title:   "Move a cell",
		toolset: toolsetCells,
		description: "Moves a cell of a notebook to another place; it keeps its id, outputs and metadata, and people who have the notebook open see it at once. " +
			"What somebody types into the cell at the very same moment can be lost. Costs little.",
		marks: marks{},
		input: arguments(append(append(notebookNameProperties(), cellProperties()...),
			required("position", integer("Index that the cell will have: 0 is the top, the number of cells less one the end.").between(0, maxIndex)),
		)...),
		output: object("", cellResultProperties()...),
		handle: typed(func(ctx context.Context, args moveCellArgs) (*answer, error) {
			if err := args.check(); err != nil {
				return nil, err
			}
			doc, cell, err := d.openCell(ctx, args.notebookName, args.cellName)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			err = doc.Edit(ctx, "move cell", func(e *ydoc.Editor) error {
				if n := e.Len(); args.Position < 0 || args.Position >= n {
					return fmt.Errorf("position %d is out of range: %s; nothing was moved", args.Position, holds(n))
				}
				return e.Move(cell.ID, args.Position)
			})
			if err != nil {
				return nil, err
			}
			return &answer{doc: doc, body: cellResultOf(doc, cell.ID, "Successfully moved the cell")}, nil
		}),
	}
}
