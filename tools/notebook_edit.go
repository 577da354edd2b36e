package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	maxNewCells    = 200
	maxChanged     = 1000      // cells
	maxSource      = 1_000_000 // characters of one cell's source
	maxSourceTotal = 4_000_000 // bytes of all sources of a call
)

func contentSchema(description string) schema {
	return text(description+" Line ends are stored as \\n.").length(0, maxSource)
}

// checkTotal bounds what one call brings along.
func checkTotal(sources ...string) error {
	n := 0
	for _, s := range sources {
		n += len(s)
	}
	if n > maxSourceTotal {
		return fmt.Errorf("the contents are %s together, more than the %s allowed in one call: spread them over several calls",
			kilobytes(n), kilobytes(maxSourceTotal))
	}
	return nil
}

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
		}, resultsProperty())...),
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
			a := &answer{body: &out}
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
	nb := doc.Notebook()
	before := nb.Cells()
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
	err = doc.Edit(ctx, "insert cells", func(e *ydoc.Editor) error {
		var err error
		ids, err = e.Insert(placed(e, before, position), cells...)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i, id := range ids {
		if cells[i].Type == ydoc.Code {
			runnable = append(runnable, id)
		}
		if c, ok := nb.Cell(id); ok && c.Source == cells[i].Source {
			d.seen.show(ctx, doc, c)
		}
	}
	return ids, runnable, nil
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

type modifyArgs struct {
	Path          string         `json:"path"`
	Modifications []modification `json:"modifications"`
	runOptions
}

type modification struct {
	Range   cellRange `json:"range"`
	Content string    `json:"content"`
}

type modifyResult struct {
	Message        string            `json:"message"`
	ModifiedRanges int               `json:"modified_ranges"`
	Executed       bool              `json:"executed"`
	Results        []executionResult `json:"execution_results,omitempty"`
	CellIDs        []string          `json:"cell_ids"`
	Merged         []mergedCell      `json:"merged_cells,omitempty"`
}

// A mergedCell is a cell whose source is not what the caller wrote, because somebody typed into it at the same time.
type mergedCell struct {
	ID        string `json:"id"`
	Source    string `json:"source"`
	Truncated bool   `json:"truncated"`
	Revision  string `json:"revision"`
}

// modifyNbCells makes modify_nb_cells.
func modifyNbCells(d *deps) tool {
	return tool{
		name:    "modify_nb_cells",
		title:   "Change notebook cells",
		toolset: toolsetNotebook,
		description: "Gives the cells of each range a new source and, unless exec is false, runs those that are code. All changes are made together or none. " +
			"The new source is taken as a change from what you were last shown of the cell (by reading or writing it) and merged with what people have typed since, which is never lost: " +
			"where both changed the same words, nothing is written and the differences are returned; read the cell again then. Read before you change. " + runCost,
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append([]property{
			required("path", pathSchema()),
			required("modifications", list("No cell may be named twice.", arguments(
				required("range", rangeSchema().with("description", "Every cell in it gets the content.")),
				required("content", contentSchema("The whole new source.")),
			)).items(1, maxNewCells)),
		}, runProperties("Run the changed code cells.")...)...),
		output: object("", append([]property{
			required("message", text("")),
			required("modified_ranges", integer("")),
			required("executed", boolean("Whether cells were run.")),
			required("cell_ids", list("The changed cells, in the order given.", text(""))),
			optional("merged_cells", list("Cells whose source is now another than the one given, because somebody changed them at the same time.", object("",
				required("id", text("")),
				required("source", text("The source now.")),
				required("truncated", boolean("Whether the source was cut: read the cell then.")),
				required("revision", revisionSchema("the cell")),
			))),
		}, resultsProperty())...),
		handle: typed(func(ctx context.Context, args modifyArgs) (*answer, error) {
			var sources []string
			for _, m := range args.Modifications {
				sources = append(sources, m.Content)
			}
			if err := checkTotal(sources...); err != nil {
				return nil, err
			}
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			changed, err := d.modify(ctx, doc, args.Modifications)
			if err != nil {
				return nil, err
			}
			out := modifyResult{ModifiedRanges: len(args.Modifications), Merged: changed.merged, CellIDs: changed.ids}
			out.Message = "Successfully modified " + plural(len(args.Modifications), "cell range")
			a := &answer{body: &out}
			if !args.exec() || len(changed.runnable) == 0 {
				return a, nil
			}
			ran, err := d.run(ctx, doc, changed.runnable, args.runOptions)
			if err != nil {
				return nil, fmt.Errorf("the cells were changed, but could not be run: %w", err)
			}
			out.Executed = true
			out.Message += ran.afterwards(" and executed cells")
			return a, ran.into(a, func(r []executionResult) { out.Results = r })
		}),
	}
}

// A target is a cell that is to get a new source.
type target struct {
	cell    ydoc.Cell
	content string
	// base is the revision that the new source is a change from.
	base ydoc.Revision
	// current tells that the cell's source is what the caller was last shown, or that it was shown none.
	current bool
}

// targets resolves modifications to cells, each named once.
func targets(mods []modification, cells []ydoc.Cell) ([]target, error) {
	var out []target
	by := map[int]int{}
	for n, m := range mods {
		indexes, err := m.Range.indexes(fmt.Sprintf("modifications[%d].range", n), cells)
		if err != nil {
			return nil, err
		}
		for _, at := range indexes {
			if first, ok := by[at]; ok {
				return nil, fmt.Errorf("modifications[%d] and modifications[%d] both name cell %d: name each cell once; nothing was changed", first, n, at)
			}
			by[at] = n
			out = append(out, target{cell: cells[at], content: lines(m.Content)})
		}
	}
	return out, nil
}

// changedCells is what a modification did.
type changedCells struct {
	ids, runnable []string
	merged        []mergedCell
}

// modify writes the new sources in one transaction.
func (d *deps) modify(ctx context.Context, doc *session.Document, mods []modification) (changedCells, error) {
	nb := doc.Notebook()
	cells := nb.Cells()
	list, err := targets(mods, cells)
	if err != nil {
		return changedCells{}, err
	}
	if len(list) > maxChanged {
		return changedCells{}, fmt.Errorf("the ranges name %s, more than the %s allowed in one call; nothing was changed", plural(len(list), "cell"), thousands(maxChanged))
	}
	total := 0
	for i, t := range list {
		if total += len(t.content); total > maxSourceTotal {
			return changedCells{}, fmt.Errorf("the ranges repeat the contents to more than the %s allowed in one call; nothing was changed", kilobytes(maxSourceTotal))
		}
		if marked(t.content) && !marked(t.cell.Source) {
			return changedCells{}, fmt.Errorf("the content for cell %q %s; nothing was changed", t.cell.ID, markedWhy)
		}
		list[i].current = !d.seen.outdated(ctx, doc.Path(), t.cell)
		shown, ok := doc.Shown(clientOf(ctx), t.cell.ID)
		switch {
		case ok:
			list[i].base = shown
		case list[i].current:
			list[i].base = t.cell.Revision
		default:
			return changedCells{}, outdatedError(t.cell.ID)
		}
	}
	if err := rewrite(ctx, doc, list); err != nil {
		return changedCells{}, editError(err)
	}
	var out changedCells
	for _, t := range list {
		out.ids = append(out.ids, t.cell.ID)
		if t.cell.Type == ydoc.Code {
			out.runnable = append(out.runnable, t.cell.ID)
		}
		now, ok := nb.Cell(t.cell.ID)
		switch {
		case !ok: // deleted a moment ago
		case now.Source == t.content:
			d.seen.show(ctx, doc, now)
		default:
			out.merged = append(out.merged, mergedCell{ID: now.ID, Source: now.Source, Revision: revision(now.Revision)})
			if size(now.Source) <= mergedLimit(len(list)) {
				d.seen.show(ctx, doc, now) // all of it
			}
		}
	}
	for i, m := range out.merged {
		out.merged[i].Source, out.merged[i].Truncated = cut(m.Source, mergedLimit(len(list)))
	}
	return out, nil
}

// mergedLimit is how many characters of each merged cell are shown when a call changes that many cells.
func mergedLimit(cells int) int { return min(8000, 100_000/cells) }

// rewrite stages and writes the new sources, all or none.
func rewrite(ctx context.Context, doc *session.Document, list []target) error {
	write := func(e *ydoc.Editor) error {
		for _, t := range list {
			if err := e.Rewrite(t.cell.ID, t.base, t.content); err != nil {
				return err
			}
		}
		return nil
	}
	err := doc.Edit(ctx, "modify cells", write)
	if !errors.Is(err, ydoc.ErrRevisionGone) {
		return err
	}
	// What the caller was shown is too long ago for the document, but where the cell has not changed since, the text
	// as it is now is as good a base.
	for i, t := range list {
		if !t.current {
			return outdatedError(t.cell.ID)
		}
		list[i].base = t.cell.Revision
	}
	return doc.Edit(ctx, "modify cells", write)
}

// outdatedError refuses a change whose base is known no more.
func outdatedError(id string) error {
	return fmt.Errorf("nothing was changed: cell %q was changed by somebody else since you were last shown it, too long ago to merge the two changes; "+
		"read the cell again, then repeat the change", id)
}

// editError words what a caller has to know about a refused edit.
func editError(err error) error {
	var conflict *ydoc.ConflictError
	if !errors.As(err, &conflict) {
		return err
	}
	const most = 4000
	theirs, _ := cut(conflict.Theirs, most)
	mine, _ := cut(conflict.Mine, most)
	return fmt.Errorf("nothing was changed: %w\nTheir change:\n%s\nYour change:\n%s", err, theirs, mine)
}

type deleteArgs struct {
	Path   string      `json:"path"`
	Ranges []cellRange `json:"ranges"`
}

type deleteResult struct {
	Message string `json:"message"`
	Deleted int    `json:"deleted_cells"`
}

// deleteNbCells makes delete_nb_cells.
func deleteNbCells(d *deps) tool {
	return tool{
		name:    "delete_nb_cells",
		title:   "Delete notebook cells",
		toolset: toolsetNotebook,
		description: "Deletes the cells of the ranges, all together. Indexes mean the cells as they are when the call begins, and may be named in any order; a cell named twice is deleted once. " +
			"Use it only for cells that nobody needs: their outputs go with them. When all cells are deleted, one empty code cell takes their place.",
		marks: marks{destructive: true},
		input: arguments(
			required("path", pathSchema()),
			required("ranges", rangesSchema("Cells to delete.", 1)),
		),
		output: object("",
			required("message", text("")),
			required("deleted_cells", integer("")),
		),
		handle: typed(func(ctx context.Context, args deleteArgs) (*answer, error) {
			doc, err := d.open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cells := doc.Notebook().Cells()
			indexes, err := resolve(args.Ranges, cells)
			if err != nil {
				return nil, err
			}
			var ids []string
			for _, at := range indexes {
				ids = append(ids, cells[at].ID)
			}
			// The last cell of all is replaced by an empty one in the same transaction.
			err = doc.Edit(ctx, "delete cells", func(e *ydoc.Editor) error { return e.Delete(ids...) })
			if err != nil {
				return nil, err
			}
			return &answer{body: deleteResult{"Successfully deleted " + plural(len(ids), "cell"), len(ids)}}, nil
		}),
	}
}
