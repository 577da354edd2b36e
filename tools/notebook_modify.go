package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

type modifyArgs struct {
	Path          string         `json:"path"`
	Modifications []modification `json:"modifications"`
	runOptions
}

type modification struct {
	Range    cellRange `json:"range"`
	Content  string    `json:"content"`
	Revision string    `json:"revision"`
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
				optional("revision", text("The cell's revision that the new source is a change from, where the range names one cell. Left out: the one you were last shown.").length(1, 20)),
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
			resultsProperty(),
		}, savedProperties()...)...),
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
			a := &answer{body: &out, doc: doc}
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
	// named tells that the caller has given that revision.
	named bool
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
		base, err := m.base(n, len(indexes))
		if err != nil {
			return nil, err
		}
		for _, at := range indexes {
			if first, ok := by[at]; ok {
				return nil, fmt.Errorf("modifications[%d] and modifications[%d] both name cell %d: name each cell once; nothing was changed", first, n, at)
			}
			by[at] = n
			out = append(out, target{cell: cells[at], content: lines(m.Content), base: base, named: m.Revision != ""})
		}
	}
	return out, nil
}

// base reads the revision that the modification with index n names for its cells, 0 where it names none.
func (m modification) base(n, cells int) (ydoc.Revision, error) {
	if m.Revision == "" {
		return 0, nil
	}
	if cells > 1 {
		return 0, fmt.Errorf("modifications[%d] gives a revision for %s: a revision is that of one cell; nothing was changed", n, plural(cells, "cell"))
	}
	rev, err := strconv.ParseUint(m.Revision, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("modifications[%d].revision %s is not a revision: give it as read_nb_cells has it; nothing was changed", n, quoted(m.Revision))
	}
	return ydoc.Revision(rev), nil
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
		if t.named {
			list[i].current = t.base == t.cell.Revision
			continue
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
		doc.Point(t.cell.ID, len(now.Source))
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
