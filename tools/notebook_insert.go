package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

type insertArgs struct {
	Path     string    `json:"path"`
	Position *int      `json:"position"`
	AfterID  string    `json:"after_id"`
	Cells    []newCell `json:"cells"`
	runOptions
}

type newCell struct {
	Type    string `json:"type"`
	Content string `json:"content"`
}

type insertResult struct {
	Message  string            `json:"message"`
	Executed bool              `json:"executed"`
	Results  []executionResult `json:"execution_results,omitempty"`
	CellIDs  []string          `json:"cell_ids"`
}

// insertNbCells makes insert_nb_cells.
func insertNbCells(d *deps) tool {
	return tool{
		name:    "insert_nb_cells",
		title:   "Insert notebook cells",
		toolset: toolsetNotebook,
		description: "Inserts cells at position (0 is the top, the number of cells the end), or behind the cell named by after_id, and, unless exec is false, runs the inserted code cells in the notebook's kernel, starting one if there is none. " +
			"Use it to add code and see what it does. People with the notebook open see the cells and the output as it comes. " + runCost,
		marks: marks{openWorld: true},
		input: arguments(append([]property{
			required("path", pathSchema()),
			optional("position", integer("Index that the first new cell will have: 0 is the top, the number of cells the end. Needed unless after_id is given.").between(0, maxIndex)),
			optional("after_id", idSchema("Id of the cell behind which to insert, in place of position.")),
			required("cells", list("Cells in order.", arguments(
				optional("type", oneOf("Markdown is not run.", "code", "markdown").def("code")),
				required("content", contentSchema("Source of the cell.")),
			)).items(1, maxNewCells)),
		}, runProperties("Run the inserted code cells.")...)...),
		output: object("", append([]property{
			required("message", text("")),
			required("executed", boolean("Whether cells were run.")),
			required("cell_ids", list("Ids of the new cells, in order.", text(""))),
			resultsProperty(),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args insertArgs) (*answer, error) {
			var sources []string
			for _, c := range args.Cells {
				sources = append(sources, c.Content)
			}
			if err := checkTotal(sources...); err != nil {
				return nil, err
			}
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			ids, runnable, err := d.insert(ctx, doc, args)
			if err != nil {
				return nil, err
			}
			out := insertResult{Message: "Successfully inserted cells", CellIDs: ids}
			a := &answer{body: &out, doc: doc}
			if !args.exec() || len(runnable) == 0 {
				return a, nil
			}
			ran, err := d.run(ctx, doc, runnable, args.runOptions)
			if err != nil {
				return nil, fmt.Errorf("the cells were inserted (ids %s), do not insert them again; but they could not be run: %w", quotedList(ids), err)
			}
			out.Executed = true
			out.Message += ran.afterwards(" and executed them")
			return a, ran.into(a, func(r []executionResult) { out.Results = r })
		}),
	}
}

// insert writes the new cells and returns their ids, and of those the ones that can be run.
func (d *deps) insert(ctx context.Context, doc *session.Document, args insertArgs) (ids, runnable []string, err error) {
	before := doc.Notebook().Cells()
	position, err := args.position(before)
	if err != nil {
		return nil, nil, err
	}
	cells := make([]ydoc.NewCell, len(args.Cells))
	for i, c := range args.Cells {
		if c.Type == "" {
			c.Type = "code"
		}
		cells[i] = ydoc.NewCell{Type: c.Type, Source: lines(c.Content)}
		if marked(cells[i].Source) {
			return nil, nil, fmt.Errorf("cells[%d].content %s; nothing was inserted", i, markedWhy)
		}
	}
	ids, err = d.insertAt(ctx, doc, cells, func(e *ydoc.Editor) int { return placed(e, before, position) })
	if err != nil {
		return nil, nil, err
	}
	for i, id := range ids {
		if cells[i].Type == ydoc.Code {
			runnable = append(runnable, id)
		}
	}
	return ids, runnable, nil
}

// insertAt writes new cells, one at least, to the position that they are to have, and returns their ids.
func (d *deps) insertAt(ctx context.Context, doc *session.Document, cells []ydoc.NewCell, position func(*ydoc.Editor) int) (ids []string, err error) {
	err = doc.Edit(ctx, "insert cells", func(e *ydoc.Editor) error {
		var err error
		ids, err = e.Insert(position(e), cells...)
		return err
	})
	if err != nil {
		return nil, err
	}
	last := len(ids) - 1
	doc.Point(ids[last], len(cells[last].Source))
	for i, id := range ids {
		if c, ok := doc.Notebook().Cell(id); ok && c.Source == cells[i].Source {
			d.seen.show(ctx, doc, c)
		}
	}
	return ids, nil
}

// position is where the cells are to go, among the cells there are.
func (a insertArgs) position(cells []ydoc.Cell) (int, error) {
	switch n := len(cells); {
	case a.AfterID != "" && a.Position != nil:
		return 0, errors.New("position and after_id are both given: give one of them")
	case a.AfterID != "":
		at, err := indexOf(a.AfterID, "after_id", cells)
		return at + 1, err
	case a.Position == nil:
		return 0, fmt.Errorf("position is missing: give the index that the first new cell will have, or after_id; %s, and %d appends", holds(n), n)
	case *a.Position < 0 || *a.Position > n:
		return 0, fmt.Errorf("position %d is out of range: %s, and %d appends", *a.Position, holds(n), n)
	default:
		return *a.Position, nil
	}
}

// placed is where a position of the cells before is now: behind the same cell, or behind the nearest one before that
// which is still there.
func placed(e *ydoc.Editor, before []ydoc.Cell, position int) int {
	if position == 0 {
		return 0
	}
	if id, ok := e.IDAt(position - 1); ok && id == before[position-1].ID {
		return position // nobody was faster
	}
	for i := position - 1; i >= 0; i-- {
		if at, ok := e.Index(before[i].ID); ok {
			return at + 1
		}
	}
	return 0
}
