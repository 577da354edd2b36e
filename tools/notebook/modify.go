package notebook

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

type modifyArgs struct {
	desk.InNotebook
	Modifications []Modification `json:"modifications" jsonschema:"No cell may be named twice."`
	Exec          *bool          `json:"exec,omitempty" jsonschema:"Run the changed code cells."`
	RunOptions
}

// Refine implements tool.Refiner.
func (modifyArgs) Refine(f tool.Fields) {
	f.Field("modifications").Limit(1, desk.MaxNewCells)
	f.Field("exec").Default(true)
}

// A Modification gives the cells of a range a new source.
type Modification struct {
	Range    desk.CellRange `json:"range" jsonschema:"Every cell in it gets the content."`
	Content  string         `json:"content" jsonschema:"The whole new source. Line ends are stored as \\n."`
	Revision string         `json:"revision,omitempty" jsonschema:"The cell's revision that the new source is a change from, where the range names one cell. Left out: the one you were last shown."`
}

// Refine implements tool.Refiner.
func (Modification) Refine(f tool.Fields) {
	f.Field("content").Limit(0, desk.MaxSource)
	f.Field("revision").Limit(1, 20)
}

// A ModifyResult is the answer of modify_nb_cells.
type ModifyResult struct {
	Message        string       `json:"message"`
	ModifiedRanges int          `json:"modified_ranges"`
	Executed       bool         `json:"executed" jsonschema:"Whether cells were run."`
	CellIDs        []string     `json:"cell_ids" jsonschema:"The changed cells, in the order given."`
	Merged         []mergedCell `json:"merged_cells,omitempty" jsonschema:"Cells whose source is now another than the one given, because somebody changed them at the same time."`
	executed
}

// A mergedCell is a cell whose source is not what the caller wrote, because somebody typed into it at the same time.
type mergedCell struct {
	ID        string `json:"id"`
	Source    string `json:"source" jsonschema:"The source now."`
	Truncated bool   `json:"truncated" jsonschema:"Whether the source was cut: read the cell then."`
	Revision  string `json:"revision"`
}

// Refine implements tool.Refiner.
func (mergedCell) Refine(f tool.Fields) { f.Field("revision").Say(desk.RevisionText("the cell")) }

// modifyNbCells makes modify_nb_cells.
func modifyNbCells(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "modify_nb_cells",
		Title:   "Change notebook cells",
		Toolset: tool.ToolsetNotebook,
		Description: "Gives the cells of each range a new source and, unless exec is false, runs those that are code. All changes are made together or none. " +
			"The new source is taken as a change from what you were last shown of the cell (by reading or writing it) and merged with what people have typed since, which is never lost: " +
			"where both changed the same words, nothing is written and the differences are returned; read the cell again then. Read before you change. " + runCost,
		Marks:  tool.Marks{Destructive: true, OpenWorld: true},
		Input:  tool.ArgumentsOf[modifyArgs](nil),
		Output: tool.DocumentResultOf[ModifyResult](nil),
		Handle: tool.Typed(func(ctx context.Context, args modifyArgs) (*tool.Answer, error) {
			var sources []string
			for _, m := range args.Modifications {
				sources = append(sources, m.Content)
			}
			if err := desk.CheckTotal(sources...); err != nil {
				return nil, err
			}
			doc, err := d.Open(ctx, args.Path)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			changed, err := Modify(ctx, d, doc, args.Modifications)
			if err != nil {
				return nil, err
			}
			out := ModifyResult{ModifiedRanges: len(args.Modifications), Merged: changed.Merged, CellIDs: changed.ids}
			out.Message = "Successfully modified " + tool.Plural(len(args.Modifications), "cell range")
			a := &tool.Answer{Body: &out, Doc: doc}
			if !wanted(args.Exec) || len(changed.runnable) == 0 {
				return a, nil
			}
			ran, err := runCells(ctx, d, doc, changed.runnable, args.RunOptions)
			if err != nil {
				return nil, fmt.Errorf("the cells were changed, but could not be run: %w", err)
			}
			out.Executed = true
			out.Message += ran.afterwards(" and executed cells")
			return a, ran.into(a, func(r []ExecutionResult) { out.Results = r })
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
func targets(mods []Modification, cells []ydoc.Cell) ([]target, error) {
	var out []target
	by := map[int]int{}
	for n, m := range mods {
		indexes, err := m.Range.Indexes(fmt.Sprintf("modifications[%d].range", n), cells)
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
			out = append(out, target{cell: cells[at], content: tool.Lines(m.Content), base: base, named: m.Revision != ""})
		}
	}
	return out, nil
}

// base reads the revision that the modification with index n names for its cells, 0 where it names none.
func (m Modification) base(n, cells int) (ydoc.Revision, error) {
	if m.Revision == "" {
		return 0, nil
	}
	if cells > 1 {
		return 0, fmt.Errorf("modifications[%d] gives a revision for %s: a revision is that of one cell; nothing was changed", n, tool.Plural(cells, "cell"))
	}
	rev, err := strconv.ParseUint(m.Revision, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("modifications[%d].revision %s is not a revision: give it as read_nb_cells has it; nothing was changed", n, tool.Quoted(m.Revision))
	}
	return ydoc.Revision(rev), nil
}

// ChangedCells are what modifications have changed.
type ChangedCells struct {
	ids, runnable []string
	// Merged are those whose source is now another than the one given.
	Merged []mergedCell
}

// Modify writes the new sources in one transaction.
func Modify(ctx context.Context, d *desk.Desk, doc *session.Document, mods []Modification) (ChangedCells, error) {
	nb := doc.Notebook()
	cells := nb.Cells()
	list, err := targets(mods, cells)
	if err != nil {
		return ChangedCells{}, err
	}
	if len(list) > desk.MaxChanged {
		return ChangedCells{}, fmt.Errorf("the ranges name %s, more than the %s allowed in one call; nothing was changed", tool.Plural(len(list), "cell"), tool.Thousands(desk.MaxChanged))
	}
	total := 0
	for i, t := range list {
		if total += len(t.content); total > desk.MaxSourceTotal {
			return ChangedCells{}, fmt.Errorf("the ranges repeat the contents to more than the %s allowed in one call; nothing was changed", tool.Kilobytes(desk.MaxSourceTotal))
		}
		if tool.Marked(t.content) && !tool.Marked(t.cell.Source) {
			return ChangedCells{}, fmt.Errorf("the content for cell %q %s; nothing was changed", t.cell.ID, tool.MarkedWhy)
		}
		if t.named {
			list[i].current = t.base == t.cell.Revision
			continue
		}
		list[i].current = !doc.Outdated(tool.ClientOf(ctx), t.cell.ID, t.cell.Source)
		shown, ok := doc.Shown(tool.ClientOf(ctx), t.cell.ID)
		switch {
		case ok:
			list[i].base = shown
		case list[i].current:
			list[i].base = t.cell.Revision
		default:
			return ChangedCells{}, desk.OutdatedError(t.cell.ID)
		}
	}
	if err := rewrite(ctx, doc, list); err != nil {
		return ChangedCells{}, desk.EditError(err)
	}
	var out ChangedCells
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
			doc.Show(tool.ClientOf(ctx), now)
		default:
			out.Merged = append(out.Merged, mergedCell{ID: now.ID, Source: now.Source, Revision: desk.Revision(now.Revision)})
			if tool.Size(now.Source) <= mergedLimit(len(list)) {
				doc.Show(tool.ClientOf(ctx), now) // all of it
			}
		}
	}
	for i, m := range out.Merged {
		out.Merged[i].Source, out.Merged[i].Truncated = tool.Cut(m.Source, mergedLimit(len(list)))
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
			return desk.OutdatedError(t.cell.ID)
		}
		list[i].base = t.cell.Revision
	}
	return doc.Edit(ctx, "modify cells", write)
}
