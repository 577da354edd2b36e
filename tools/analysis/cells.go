package analysis

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type addCellArgs struct {
	notebookName
	newCell
	Position *int `json:"position,omitempty" jsonschema:"Index of the new cell: 0 is the top, the number of cells the end. Left out: the end." validate:"max=index"`
}

// A CellResult describes a cell after a call that made or changed it.
type CellResult struct {
	Message  string `json:"message"`
	Path     string `json:"path" jsonschema:"The notebook, without a leading slash."`
	CellID   string `json:"cell_id" jsonschema:"Id of the cell."`
	Index    *int   `json:"cell_index" jsonschema:"Its current index; null if deleted since."`
	Count    int    `json:"cell_count" jsonschema:"Current number of cells."`
	Revision string `json:"revision,omitempty" changes:"the cell"`
}

// cellResultOf describes the current state of a cell.
func cellResultOf(ctx context.Context, doc *session.Document, id, message string) CellResult {
	nb := doc.Notebook()
	out := CellResult{Message: message, Path: doc.Path().String(), CellID: id, Count: nb.Len()}
	if at, ok := nb.Index(id); ok {
		out.Index = &at
		doc.As(tool.ClientOf(ctx)).ListRange(nb.Cells(), at, 1)
	}
	if c, ok := nb.Cell(id); ok {
		out.Revision = target.Revision(c.Revision)
	}
	return out
}

// notebookAddCell makes notebook_add_cell.
func notebookAddCell(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "notebook_add_cell",
		Title:       "Add a cell",
		Description: "Adds one cell to a notebook, at its end or at position, without running it; people who have the notebook open see it at once. Use it to record findings. Costs little.",
		Ordered:     true,
		Output:      tool.DocumentResultOf[CellResult](nil),
		Call: tool.Typed(func(ctx context.Context, args addCellArgs) (*tool.Answer, error) {
			source := textfmt.Lines(args.Source)
			if err := tool.Whole(source); err != nil {
				return nil, fmt.Errorf("source %w; nothing was added", err)
			}
			doc, err := args.open(ctx, d)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			before := target.ViewOf(ctx, doc).Listed
			if p := args.Position; p != nil && (*p < 0 || *p > len(before)) {
				return nil, fmt.Errorf("position %d is out of range: %s, and %d appends; nothing was added", *p, target.Holds(len(before)), len(before))
			}
			ids, err := notebook.InsertAt(ctx, doc, []ydoc.NewCell{{Type: args.Type, Source: source}}, func(e *ydoc.Editor) int {
				if args.Position == nil {
					return e.Len()
				}
				return notebook.Placed(e, before, *args.Position)
			})
			if err != nil {
				return nil, err
			}
			return &tool.Answer{Doc: doc, Body: cellResultOf(ctx, doc, ids[0], "Successfully added a "+args.Type+" cell")}, nil
		}),
	}
}

type editCellArgs struct {
	cellOfNotebook
	Source   string `json:"source" jsonschema:"The whole new source. Line ends are stored as \\n." validate:"max=source"`
	Revision string `json:"revision,omitempty" jsonschema:"Revision of the cell that your change is based on. Left out: the one you were shown." validate:"min=1,max=20"`
	target.Forced
}

func (a editCellArgs) base() string { return a.Revision }

// naming returns the view for finding a cell that gets a new source.
func (a editCellArgs) naming(v target.View) target.View { return v.Writing(textfmt.Lines(a.Source)) }

// An EditCellResult is the answer of notebook_edit_cell.
type EditCellResult struct {
	CellResult
	Merged    *string `json:"merged_source,omitempty" jsonschema:"The resulting source, if others' concurrent changes made it differ from yours."`
	Truncated bool    `json:"truncated,omitempty" jsonschema:"Whether merged_source was cut; if so, read the cell."`
}

// notebookEditCell makes notebook_edit_cell.
func notebookEditCell(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "notebook_edit_cell",
		Title:       "Change a cell",
		Description: "Replaces the source of a notebook cell without running it. Read it first. Your change to the source that you last read or wrote is merged with text that people typed since; if both changed the same words, nothing is written and the differences are returned.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[EditCellResult](nil),
		Call: inCell(d, func(ctx context.Context, doc *session.Document, cell ydoc.Cell, _ ydoc.Revision, args editCellArgs) (*tool.Answer, error) {
			changed, err := notebook.Modify(ctx, doc, []notebook.Modification{{Range: target.CellRange{ID: cell.Exactly()}, Content: &args.Source, Revision: args.Revision}}, args.Force)
			if err != nil {
				return nil, err
			}
			out := EditCellResult{CellResult: cellResultOf(ctx, doc, cell.ID, "Successfully changed the cell")}
			if len(changed.Merged) > 0 {
				m := changed.Merged[0]
				out.Merged, out.Truncated, out.Revision = &m.Source, m.Truncated, m.Revision
				out.Message += ", merged with others' changes"
			}
			return &tool.Answer{Doc: doc, Body: out}, nil
		}),
	}
}

type deleteCellArgs struct {
	cellOfNotebook
	Revision string `json:"revision,omitempty" jsonschema:"Revision of the cell that you have read. Left out: the one you were shown." validate:"min=1,max=20"`
	target.Forced
}

func (a deleteCellArgs) base() string { return a.Revision }

// A DeleteCellResult is the answer of notebook_delete_cell.
type DeleteCellResult struct {
	Message string `json:"message"`
	Path    string `json:"path" jsonschema:"The notebook, without a leading slash."`
	Deleted string `json:"deleted_cell_id"`
	Next    string `json:"next_cell_id" jsonschema:"The cell now in its place, or the last one."`
	Count   int    `json:"cell_count" jsonschema:"Current number of cells."`
}

// notebookDeleteCell makes notebook_delete_cell.
func notebookDeleteCell(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "notebook_delete_cell",
		Title: "Delete a cell",
		Description: "Deletes a notebook cell and its outputs; people who have the notebook open see it at once. " +
			"A cell whose current source you have not read is refused, with the difference. Use it only for a cell that is no longer needed. If it was the only one, an empty code cell takes its place. Costs little.",
		Hints:  tool.Hints{Destructive: true},
		Output: tool.DocumentResultOf[DeleteCellResult](nil),
		Call: inCell(d, func(ctx context.Context, doc *session.Document, cell ydoc.Cell, base ydoc.Revision, args deleteCellArgs) (*tool.Answer, error) {
			at, _ := doc.Notebook().Index(cell.ID)
			if err := doc.As(tool.ClientOf(ctx)).Delete(ctx, []readset.Target{{Cell: cell.ID, Base: base}}, args.Force); err != nil {
				return nil, err
			}
			left := doc.Notebook().Cells()
			out := DeleteCellResult{Message: "Successfully deleted the cell", Path: doc.Path().String(), Deleted: cell.ID, Count: len(left)}
			if len(left) > 0 {
				out.Next = left[min(at, len(left)-1)].ID
			}
			return &tool.Answer{Doc: doc, Body: out}, nil
		}),
	}
}

type moveCellArgs struct {
	cellOfNotebook
	Position int    `json:"position" jsonschema:"New index of the cell: 0 is the top, the number of cells minus one the end." validate:"max=index"`
	Revision string `json:"revision,omitempty" jsonschema:"Revision of the cell that you have read. Left out: moved even if it changed." validate:"min=1,max=20"`
	target.Forced
}

func (a moveCellArgs) base() string { return a.Revision }

// notebookMoveCell makes notebook_move_cell.
func notebookMoveCell(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "notebook_move_cell",
		Title: "Move a cell",
		Description: "Moves a cell of a notebook to another place; it keeps its id, outputs and metadata, and people who have the notebook open see it at once. " +
			"A cell in which a person is typing is not moved. Costs little.",
		Output: tool.DocumentResultOf[CellResult](nil),
		Call: inCell(d, func(ctx context.Context, doc *session.Document, cell ydoc.Cell, base ydoc.Revision, args moveCellArgs) (*tool.Answer, error) {
			view := target.ViewOf(ctx, doc)
			if n := len(view.Listed); args.Position < 0 || args.Position >= n {
				return nil, fmt.Errorf("position %d is out of range: %s; nothing was moved", args.Position, target.Holds(n))
			}
			place, err := view.Beside().At(args.Position, "position")
			if err != nil {
				return nil, err
			}
			err = doc.As(tool.ClientOf(ctx)).Move(ctx, readset.Target{Cell: cell.ID, Base: base}, func(e *ydoc.Editor) (int, error) {
				to, there := e.Index(place.ID)
				if !there {
					return 0, fmt.Errorf("the cell at position %d was just deleted; nothing was moved", args.Position)
				}
				return to, nil
			}, args.Force)
			if err != nil {
				return nil, err
			}
			return &tool.Answer{Doc: doc, Body: cellResultOf(ctx, doc, cell.ID, "Successfully moved the cell")}, nil
		}),
	}
}
