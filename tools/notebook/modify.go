package notebook

import (
	"context"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

type modifyArgs struct {
	target.InNotebook
	Modifications []Modification `json:"modifications" jsonschema:"Each cell once." validate:"min=1,max=200"`
	Exec          *bool          `json:"exec,omitempty" jsonschema:"Run the changed code cells." default:"true"`
	target.Forced
	target.Reasoned
	RunOptions
}

// Check bounds the contents.
func (a modifyArgs) Check() error {
	return target.CheckTotal(a.Modifications, func(m Modification) string { return m.Content })
}

// A Modification gives the cells of a range a new source.
type Modification struct {
	Range    target.CellRange `json:"range" jsonschema:"Every cell in it gets the content."`
	Content  string           `json:"content" jsonschema:"The whole new source." validate:"max=source"`
	Revision string           `json:"revision,omitempty" jsonschema:"Revision of the one cell that it is based on; left out, the one shown." validate:"min=1,max=20"`
}

// A ModifyResult is the answer of modify_nb_cells.
type ModifyResult struct {
	Message        string       `json:"message"`
	ModifiedRanges int          `json:"modified_ranges"`
	Executed       bool         `json:"executed" jsonschema:"Whether cells were run."`
	CellIDs        []string     `json:"cell_ids" jsonschema:"The changed cells, in the order given."`
	Merged         []mergedCell `json:"merged_cells,omitempty" jsonschema:"Cells whose source now differs from the one given, because others changed them at the same time."`
	executed
}

// A mergedCell is a cell whose source differs from the caller's text because another participant edited it at the same time.
type mergedCell struct {
	ID        string `json:"id"`
	Source    string `json:"source" jsonschema:"The source now."`
	Truncated bool   `json:"truncated" jsonschema:"Whether the source was cut: if so, read the cell."`
	Revision  string `json:"revision" changes:"the cell"`
	// Diff is the change from the given source to the current one; the middle of a long one is left out.
	Diff string `json:"-"`
}

// modifyNbCells makes modify_nb_cells.
func modifyNbCells(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "modify_nb_cells",
		Title:       "Change notebook cells",
		Description: "Replaces cells' sources and, unless exec is false, runs the cells. Read them first. The source counts as a change from the source last shown to you, merged with text that people typed since; if both changed the same words, nothing is written and you see both changes.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      tool.DocumentResultOf[ModifyResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args modifyArgs) (*tool.Answer, error) {
			changed, err := Modify(ctx, doc, args.Modifications, args.Force)
			if err != nil {
				return nil, err
			}
			out := ModifyResult{ModifiedRanges: len(args.Modifications), Merged: changed.Merged, CellIDs: changed.ids}
			out.Message = "Successfully modified " + textfmt.Plural(len(args.Modifications), "cell range")
			a := &tool.Answer{Body: &out, Doc: doc, Words: target.CellWords(ctx, doc, out.words)}
			if !wanted(args.Exec) || len(changed.runnable) == 0 {
				return a, nil
			}
			ran, err := runCells(ctx, d, doc, changed.runnable, args.RunOptions)
			if err != nil {
				return nil, fmt.Errorf("the cells were changed, but could not be run: %w", err)
			}
			out.Executed = true
			out.Message += ran.afterwards(" and executed cells")
			a.Words = target.CellWords(ctx, doc, out.words) // the cells may have moved meanwhile
			return a, ran.into(a, func(r []ExecutionResult) { out.Results = r })
		}),
	}
}

// A rewrite is a cell that gets a new source.
type rewrite struct {
	readset.Change
	was ydoc.Cell
}

// rewritesOf resolves modifications to cells, each named once.
func rewritesOf(mods []Modification, v target.View) ([]rewrite, error) {
	var out []rewrite
	by := map[string]int{}
	for n, m := range mods {
		cells, err := m.Range.Cells(fmt.Sprintf("modifications[%d].range", n), v.Writing(textfmt.Lines(m.Content)))
		if err != nil {
			return nil, err
		}
		base, err := baseOf(fmt.Sprintf("modifications[%d]", n), m.Revision, len(cells))
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			if first, ok := by[c.ID]; ok {
				return nil, fmt.Errorf("modifications[%d] and modifications[%d] both name cell %d: name each cell once; nothing was changed",
					first, n, slices.IndexFunc(v.Now, func(now ydoc.Cell) bool { return now.ID == c.ID }))
			}
			by[c.ID] = n
			out = append(out, rewrite{readset.Change{Cell: c.ID, Source: textfmt.Lines(m.Content), Base: base}, c})
		}
	}
	return out, checkRewrites(out)
}

// checkRewrites bounds the changes of one call.
func checkRewrites(list []rewrite) error {
	if len(list) > tool.MaxChanged {
		return fmt.Errorf("the ranges name %s, more than the %s allowed in one call; nothing was changed", textfmt.Plural(len(list), "cell"), textfmt.Thousands(tool.MaxChanged))
	}
	total := 0
	for _, t := range list {
		if total += len(t.Source); total > target.MaxSourceTotal {
			return fmt.Errorf("the contents of all ranges exceed the %s allowed in one call; nothing was changed", textfmt.Kilobytes(target.MaxSourceTotal))
		}
		if textfmt.Marked(t.Source) && !textfmt.Marked(t.was.Source) {
			return fmt.Errorf("the content for cell %q %s; nothing was changed", t.Cell, tool.MarkedWhy)
		}
	}
	return nil
}

// baseOf parses the revision in an argument that names cells cells; 0 if it has none.
func baseOf(what, revision string, cells int) (ydoc.Revision, error) {
	if revision != "" && cells > 1 {
		return 0, fmt.Errorf("%s gives a revision for %s: a revision belongs to one cell; nothing was changed", what, textfmt.Plural(cells, "cell"))
	}
	rev, err := target.ParseRevision(revision)
	if err != nil {
		return 0, fmt.Errorf("%s.%w", what, err)
	}
	return rev, nil
}

// ChangedCells are the cells that modifications have changed.
type ChangedCells struct {
	ids, runnable []string
	// Merged are the cells whose source now differs from the given one.
	Merged []mergedCell
}

// Modify writes the new sources in one transaction. With force they replace content that the client has not read.
func Modify(ctx context.Context, doc *session.Document, mods []Modification, force bool) (ChangedCells, error) {
	list, err := rewritesOf(mods, target.ViewOf(ctx, doc))
	if err != nil {
		return ChangedCells{}, err
	}
	changes := make([]readset.Change, len(list))
	for i, t := range list {
		changes[i] = t.Change
		changes[i].Force = force
	}
	client := tool.ClientOf(ctx)
	cells, err := doc.As(client).Rewrite(ctx, changes)
	if err != nil {
		return ChangedCells{}, err
	}
	var out ChangedCells
	most := min(8000, 100_000/max(1, len(list))) // the maximum length of each merged source, in characters
	for i, t := range list {
		out.ids = append(out.ids, t.Cell)
		if t.was.Type == ydoc.Code {
			out.runnable = append(out.runnable, t.Cell)
		}
		now := cells[i]
		given := changes[i].Source // with the data of its data: URIs
		if now.ID == "" || now.Source == given {
			continue
		}
		source, wasCut := textfmt.Cut(datauri.Short(now.Source), most)
		diff, diffCut := mergedDiff(given, now.Source)
		if !diffCut && (tool.InWords(ctx) || !wasCut) {
			doc.As(client).Show(now)
		}
		out.Merged = append(out.Merged, mergedCell{ID: now.ID, Source: source, Truncated: wasCut, Revision: target.Revision(now.Revision), Diff: diff})
	}
	return out, nil
}

// mergedDiff returns the difference between a given source and the current one, and reports whether it was cut.
func mergedDiff(given, now string) (string, bool) {
	const most = 4000
	return textfmt.Cut(datauri.Short(textdiff.Unified("cell", given+"\n", now+"\n", 1)), most)
}
