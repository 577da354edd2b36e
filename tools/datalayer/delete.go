package datalayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type deleteUsedArgs struct {
	Indices []int `json:"cell_indices,omitempty" jsonschema:"Indexes of the cells, from 0, each once. Needed unless cell_ids_to_delete is given." validate:"min=1,max=cells,null,dive,max=index"`
	Sources *bool `json:"include_source,omitempty" jsonschema:"Whether to return the sources." default:"true"`
	inNotebook
	IDs      []string `json:"cell_ids_to_delete,omitempty" jsonschema:"Ids of the cells, instead of cell_indices." validate:"min=1,max=cells,null,dive,min=1,max=id,cellid"`
	Index    *int     `json:"cell_index,omitempty" jsonschema:"One cell, instead of cell_indices." validate:"max=index,null"`
	Revision string   `json:"revision,omitempty" jsonschema:"Revision of the notebook, or of the single cell, that you have read. Left out: the one you were last shown." validate:"min=1,max=20"`
	target.Forced
}

func (a deleteUsedArgs) Check() error {
	if a.Index == nil && len(a.Indices) == 0 && len(a.IDs) == 0 {
		return errors.New("give cell_indices or cell_ids_to_delete")
	}
	return nil
}

// deleteCell makes delete_cell.
func deleteCell(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "delete_cell",
		Title:       "Delete cells",
		Description: "Deletes cells and their outputs, all or none, and returns their sources. Use it only for cells that are no longer needed. Indexes refer to the cells as you last saw them; a cell whose current source you have not read is refused, with the difference.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[textResult](nil),
		Call:        inUsed(d, deleteUsed),
	})
}

func deleteUsed(ctx context.Context, doc *session.Document, args deleteUsedArgs) (*tool.Answer, error) {
	base, err := target.ParseRevision(args.Revision)
	if err != nil {
		return nil, err
	}
	view := target.ViewOf(ctx, doc)
	var cells []foundCell
	var named []readset.Target
	out := &textResult{Kind: "cell.delete"}
	add := func(index *int, id string) error {
		cell, err := findUsed(view, index, id)
		if err == nil && slices.Contains(out.CellIDs, cell.ID) {
			err = fmt.Errorf("cell %d is named twice", cell.at)
		}
		if err != nil {
			return fmt.Errorf("%w; nothing was deleted", err)
		}
		cells, named, out.CellIDs = append(cells, cell), append(named, readset.Target{Cell: cell.ID, Base: base}), append(out.CellIDs, cell.ID)
		return nil
	}
	switch {
	case len(args.IDs) > 0:
		args.Indices = nil
	case args.Index != nil && len(args.Indices) == 0:
		args.Indices = []int{*args.Index}
	}
	for _, i := range args.Indices {
		if err := add(&i, ""); err != nil {
			return nil, err
		}
	}
	for _, id := range args.IDs {
		if err := add(nil, id); err != nil {
			return nil, err
		}
	}
	if err := doc.As(tool.ClientOf(ctx)).Delete(ctx, named, args.Force); err != nil {
		return nil, err
	}
	each := tool.AnswerBudget / 4 / len(cells)
	write := func() {
		var parts []string
		for _, c := range cells {
			parts = append(parts, fmt.Sprintf("Cell %d (%s) deleted successfully.", c.at, c.Type))
			if args.Sources == nil || *args.Sources {
				source, _ := textfmt.Cut(datauri.Short(c.Source), each)
				parts = append(parts, "deleted cell source:\n"+source, "\n---\n")
			}
		}
		out.Result = strings.Join(parts, "\n")
	}
	write()
	a := out.answer(doc)
	return a, a.Trim(func() bool {
		each /= 2
		write()
		return each > 0
	})
}

// clearCellOutput makes clear_cell_output.
func clearCellOutput(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "clear_cell_output",
		Title:       "Clear a cell's outputs",
		Description: "Removes the outputs and the execution count of a code cell; its source stays. People who have the notebook open see it at once. Use it for outputs that are out of date or too long. Costs little.",
		Hints:       tool.Hints{Destructive: true, Idempotent: true},
		Output:      tool.DocumentResultOf[textResult](nil),
		Call: inUsedCell(d, func(ctx context.Context, cell foundCell, _ UsedCell) (*textResult, error) {
			if cell.Type != ydoc.Code {
				return nil, theirWords("Cell %d is not a code cell, cannot clear output.", cell.at)
			}
			if err := notebook.ClearOutputs(ctx, cell.doc, []string{cell.ID}); err != nil {
				return nil, err
			}
			out := &textResult{Kind: "cell.clear_output", CellID: cell.ID, Result: fmt.Sprintf("Cell %d had no output to clear.", cell.at)}
			if n := len(cell.Outputs); n > 0 {
				out.Result = fmt.Sprintf("Cell %d output cleared successfully (%d output(s) removed).", cell.at, n)
			}
			return out, nil
		}),
	})
}
