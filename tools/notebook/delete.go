package notebook

import (
	"context"
	"fmt"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type deleteArgs struct {
	target.InNotebook
	Ranges []ReadRange `json:"ranges" jsonschema:"The cells." validate:"min=1,max=ranges"`
	What   string      `json:"what,omitempty" jsonschema:"outputs: clears only the outputs; the cells stay." validate:"oneof=cells outputs" default:"cells"`
	target.Forced
	target.Reasoned
}

// whatOutputs is the value of the argument what for a call that only clears outputs.
const whatOutputs = "outputs"

// A ReadRange names cells to delete or to move.
type ReadRange struct {
	target.CellRange
	Revision string `json:"revision,omitempty" jsonschema:"At which you read the one cell." validate:"min=1,max=20"`
}

// readCells returns the cells that ranges name, in their order, each once.
func readCells(ranges []ReadRange, v target.View) ([]readset.Target, error) {
	var out []readset.Target
	named := map[string]bool{}
	for n, r := range ranges {
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
				out = append(out, readset.Target{Cell: c.ID, Base: base})
			}
		}
	}
	return out, nil
}

// A DeleteResult is the answer of delete_nb_cells.
type DeleteResult struct {
	Message string `json:"message"`
	Deleted int    `json:"deleted_cells"`
	Cleared int    `json:"cleared_cells,omitempty" jsonschema:"Code cells whose outputs were cleared."`
	// Cells are the deleted cells whose sources fit in the answer.
	Cells    []deletedCell `json:"cells,omitempty"`
	Revision string        `json:"revision" changes:"the notebook"`
}

type deletedCell struct {
	ID     string `json:"id"`
	Type   string `json:"cell_type"`
	Source string `json:"source" jsonschema:"The middle of a long one is left out."`
}

// The maximum length of the shown source of a deleted cell, and of all of them, in characters.
const (
	deletedShown    = 400
	allDeletedShown = 8000
)

// deletedCells returns the first cells that are about to be deleted, as the answer shows them.
func deletedCells(doc *session.Document, cells []readset.Target) (shown []deletedCell) {
	left := allDeletedShown
	for _, t := range cells {
		c, _ := doc.Notebook().Cell(t.Cell)
		source, _ := textfmt.Cut(datauri.Short(c.Source), deletedShown)
		if left -= textfmt.Size(source) + len(c.ID); left < 0 {
			break
		}
		shown = append(shown, deletedCell{c.ID, c.Type, source})
	}
	return shown
}

// deleteNbCells makes delete_nb_cells.
func deleteNbCells(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "delete_nb_cells",
		Title:       "Delete notebook cells",
		Description: "Deletes cells, or only clears their outputs (what \"outputs\"). Use it for content that is no longer needed. A cell that you have not read as it is now is refused, with the difference.",
		Hints:       tool.Hints{Destructive: true},
		Output:      tool.DocumentResultOf[DeleteResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args deleteArgs) (*tool.Answer, error) {
			cells, err := readCells(args.Ranges, target.ViewOf(ctx, doc))
			if err != nil {
				return nil, err
			}
			if args.What == whatOutputs {
				return clearOutputsOf(ctx, doc, cells)
			}
			out := &DeleteResult{Cells: deletedCells(doc, cells), Message: "Successfully deleted " + textfmt.Plural(len(cells), "cell"), Deleted: len(cells)}
			before := target.RollOf(ctx, doc)
			// If no cells remain, the same transaction adds an empty one.
			if err := doc.As(tool.ClientOf(ctx)).Delete(ctx, cells, args.Force); err != nil {
				return nil, err
			}
			out.Revision = target.Revision(target.Now(doc))
			return &tool.Answer{Body: out, Doc: doc, Words: target.CellWords(ctx, doc, func(now *target.Roll) plaintext.Text {
				return out.words(before, now, readset.CellsOf(cells))
			})}, nil
		}),
	}
}

// words shows the deleted cells by their former indexes.
func (r *DeleteResult) words(before, now *target.Roll, ids []string) plaintext.Text {
	t := plaintext.Text{First: fmt.Sprintf("deleted %s, %d left; %s", textfmt.Plural(len(ids), "cell"), now.Len(), now.Deleted(r.Revision, before, ids...))}
	for _, c := range r.Cells {
		t.Add(plaintext.Block{Head: " deleted " + before.Cell(c.ID).Name(), Body: c.Source})
	}
	if more := len(ids) - len(r.Cells); more > 0 {
		t.Note(textfmt.Plural(more, "more deleted cell") + " not shown" + textfmt.Hint("; undo_agent restores them"))
	}
	return t
}

// clearOutputsOf clears the outputs of the code cells among cells.
func clearOutputsOf(ctx context.Context, doc *session.Document, cells []readset.Target) (*tool.Answer, error) {
	code := codeCells(doc)
	ids := lo.FilterMap(cells, func(c readset.Target, _ int) (string, bool) { return c.Cell, slices.Contains(code, c.Cell) })
	if err := ClearOutputs(ctx, doc, ids); err != nil {
		return nil, err
	}
	out := DeleteResult{Message: "Successfully cleared the outputs of " + textfmt.Plural(len(ids), "code cell"), Cleared: len(ids), Revision: target.Revision(target.Now(doc))}
	return &tool.Answer{Body: out, Doc: doc, Words: target.CellWords(ctx, doc, func(roll *target.Roll) plaintext.Text {
		if len(ids) == 0 {
			return plaintext.Text{First: "none of them is a code cell; nothing was cleared"}
		}
		return plaintext.Text{First: "cleared the outputs of " + roll.Names(ids...) + "; revision " + out.Revision}
	})}, nil
}
