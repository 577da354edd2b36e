package notebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type insertArgs struct {
	target.InNotebook
	Position *int      `json:"position,omitempty" jsonschema:"Index that the first new cell gets: 0 is the top, the number of cells the end." validate:"max=index"`
	AfterID  string    `json:"after_id,omitempty" jsonschema:"Or the id of the cell before it." validate:"min=1,max=id,cellid"`
	Cells    []newCell `json:"cells" validate:"min=1,max=200"`
	Exec     *bool     `json:"exec,omitempty" jsonschema:"Run the inserted code cells." default:"true"`
	target.Reasoned
	RunOptions
}

// Check bounds the contents.
func (a insertArgs) Check() error {
	return target.CheckTotal(a.Cells, func(c newCell) string { return c.Content })
}

type newCell struct {
	Type    string `json:"type,omitempty" validate:"oneof=code markdown raw" default:"code"`
	Content string `json:"content" validate:"max=source"`
}

// An InsertResult is the answer of insert_nb_cells.
type InsertResult struct {
	Message  string   `json:"message"`
	Executed bool     `json:"executed" jsonschema:"Whether cells were run."`
	CellIDs  []string `json:"cell_ids" jsonschema:"Ids of the new cells, in order."`
	Revision string   `json:"revision" changes:"the notebook"`
	executed
}

// insertNbCells makes insert_nb_cells.
func insertNbCells(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "insert_nb_cells",
		Title:       "Insert notebook cells",
		Description: "Inserts cells and, unless exec is false, runs the code cells among them in the notebook's kernel. Use it to add code and see its result; people with the notebook open see both. Cells that exceed timeout keep running. After a failed cell the rest are not run.",
		Hints:       tool.Hints{OpenWorld: true},
		Ordered:     true,
		Output:      tool.DocumentResultOf[InsertResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args insertArgs) (*tool.Answer, error) {
			ids, runnable, err := insert(ctx, doc, args)
			if err != nil {
				return nil, err
			}
			out := InsertResult{Message: "Successfully inserted cells", CellIDs: ids, Revision: target.Revision(target.Now(doc))}
			a := &tool.Answer{Body: &out, Doc: doc, Words: target.CellWords(ctx, doc, out.words)}
			if !wanted(args.Exec) || len(runnable) == 0 {
				return a, nil
			}
			ran, err := runCells(ctx, d, doc, runnable, args.RunOptions)
			if err != nil {
				return nil, fmt.Errorf("the cells were inserted (ids %s; do not insert them again), but they could not be run: %w", textfmt.QuotedList(ids), err)
			}
			out.Executed = true
			out.Message += ran.afterwards(" and executed them")
			a.Words = target.CellWords(ctx, doc, out.words) // the cells may have moved meanwhile
			return a, ran.into(a, func(r []ExecutionResult) { out.Results = r })
		}),
	}
}

// insert writes the new cells and returns their ids, and the ids of the code cells among them.
func insert(ctx context.Context, doc *session.Document, args insertArgs) (ids, runnable []string, err error) {
	before, position, err := args.position(target.ViewOf(ctx, doc))
	if err != nil {
		return nil, nil, err
	}
	cells := make([]ydoc.NewCell, len(args.Cells))
	for i, c := range args.Cells {
		cells[i] = ydoc.NewCell{Type: cmp.Or(c.Type, ydoc.Code), Source: textfmt.Lines(c.Content)}
		if err := tool.Whole(cells[i].Source); err != nil {
			return nil, nil, fmt.Errorf("cells[%d].content %w; nothing was inserted", i, err)
		}
	}
	ids, err = InsertAt(ctx, doc, cells, func(e *ydoc.Editor) int { return Placed(e, before, position) })
	if err != nil {
		return nil, nil, err
	}
	return ids, lo.Filter(ids, func(_ string, i int) bool { return cells[i].Type == ydoc.Code }), nil
}

// InsertAt inserts at least one new cell at a position, or behind the cells that an earlier call has inserted there
// meanwhile, and returns the ids. See [tool.Turns].
func InsertAt(ctx context.Context, doc *session.Document, cells []ydoc.NewCell, position func(*ydoc.Editor) int) (ids []string, err error) {
	turn, behind := tool.TurnOf(ctx), ""
	err = doc.Edit(ctx, "insert cells", func(e *ydoc.Editor) error {
		at := position(e)
		behind, _ = e.IDAt(at - 1)
		if next, ok := e.Index(turn.Behind(doc.FileID(), behind)); ok {
			at = next + 1
		}
		var err error
		ids, err = e.Insert(at, cells...)
		return err
	})
	if err != nil {
		return nil, err
	}
	doc.As(tool.ClientOf(ctx)).Rearranged(ids...)
	last := len(ids) - 1
	doc.Point(ctx, ids[last], len(cells[last].Source))
	for i, id := range ids {
		if c, ok := doc.Notebook().Cell(id); ok && c.Source == cells[i].Source {
			doc.As(tool.ClientOf(ctx)).Show(c)
		}
	}
	turn.Inserted(doc.FileID(), behind, ids[last])
	return ids, nil
}

// position returns the index at which to insert, and the cells that it refers to.
func (a insertArgs) position(v target.View) ([]ydoc.Cell, int, error) {
	switch n := len(v.Listed); {
	case a.AfterID != "" && a.Position != nil:
		return nil, 0, errors.New("position and after_id are both given: give only one of them")
	case a.AfterID != "":
		at, err := v.Beside().Find(a.AfterID, "after_id")
		return v.Now[:at+1], at + 1, err
	case a.Position == nil:
		return nil, 0, fmt.Errorf("position is missing: give the index that the first new cell will have, or after_id; %s, and %d appends", target.Holds(n), n)
	case *a.Position < 0 || *a.Position > n:
		return nil, 0, fmt.Errorf("position %d is out of range: %s, and %d appends", *a.Position, target.Holds(n), n)
	default:
		return v.Listed, *a.Position, v.Again("position")
	}
}

// Placed translates a position among the cells before into a current one: before the same cell, or after the nearest earlier
// cell that still exists.
func Placed(e *ydoc.Editor, before []ydoc.Cell, position int) int {
	if position == 0 {
		return 0
	}
	if position < len(before) {
		if at, ok := e.Index(before[position].ID); ok {
			return at
		}
	}
	for i := position - 1; i >= 0; i-- {
		if at, ok := e.Index(before[i].ID); ok {
			return at + 1
		}
	}
	return 0
}
