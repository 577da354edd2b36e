package notebook

import (
	"cmp"
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
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

type modifyArgs struct {
	target.InNotebook
	Modifications []Modification `json:"modifications" jsonschema:"Each cell once." validate:"min=1,max=200"`
	Exec          *bool          `json:"exec,omitempty" jsonschema:"Run the code cells with new content." default:"true"`
	target.Forced
	target.Reasoned
	RunOptions
}

// Check bounds the contents.
func (a modifyArgs) Check() error {
	return target.CheckTotal(a.Modifications, func(m Modification) string { return tool.ValueOr(m.Content, "") })
}

// A Modification changes the cells of a range: their source, their type, or where they begin and end.
type Modification struct {
	Range    target.CellRange `json:"range" jsonschema:"The cells to change."`
	Content  *string          `json:"content,omitempty" jsonschema:"The whole new source." validate:"max=source"`
	Type     string           `json:"type,omitempty" jsonschema:"New type; outputs go." validate:"oneof=code markdown raw"`
	SplitAt  []int            `json:"split_at,omitempty" jsonschema:"Lines, from 1, that begin new cells; the last part keeps id and outputs." validate:"min=1,max=200,dive,min=1,max=index"`
	Merge    bool             `json:"merge,omitempty" jsonschema:"Join them into the first cell; outputs stay." default:"false"`
	Position *int             `json:"position,omitempty" jsonschema:"Move them before the cell with this index; the number of cells is the end." validate:"max=index"`
	AfterID  string           `json:"after_id,omitempty" jsonschema:"Or behind the cell with this id." validate:"min=1,max=id,cellid"`
	Revision string           `json:"revision,omitempty" jsonschema:"Revision of the cell that it is based on; left out, the one shown." validate:"min=1,max=20"`
}

// A ModifyResult is the answer of modify_nb_cells.
type ModifyResult struct {
	Message        string       `json:"message"`
	ModifiedRanges int          `json:"modified_ranges"`
	Executed       bool         `json:"executed" jsonschema:"Whether cells were run."`
	CellIDs        []string     `json:"cell_ids" jsonschema:"The changed cells, in the order given, with the parts of split ones."`
	Revision       string       `json:"revision" changes:"the notebook"`
	Merged         []mergedCell `json:"merged_cells,omitempty" jsonschema:"Cells whose source now differs from the one given, because others changed them at the same time."`
	executed
	changed ChangedCells
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
		Description: "Changes cells: their source (then runs them, unless exec is false), type or place; splits or merges them. One call is one step for undo. Read them first. A new source is merged with text that people typed since you saw it; if both changed the same words, nothing is written and you see both.",
		Hints:       tool.Hints{Destructive: true, OpenWorld: true},
		Output:      tool.DocumentResultOf[ModifyResult](nil),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args modifyArgs) (*tool.Answer, error) {
			changed, err := Modify(ctx, doc, args.Modifications, args.Force)
			if err != nil {
				return nil, err
			}
			out := ModifyResult{ModifiedRanges: len(args.Modifications), Merged: changed.Merged, Revision: target.Revision(target.Now(doc)), changed: changed}
			out.CellIDs = lo.Uniq(append(slices.Clone(changed.ids), lo.FlatMap(changed.reshapes, func(s *readset.Reshape, _ int) []string { return s.Parts })...))
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

// changes are the changes of one call.
type changes struct {
	rewrites []rewrite
	reshapes []*readset.Reshape
}

// changesOf resolves modifications to cells, each named once.
func changesOf(mods []Modification, v target.View) (out changes, err error) {
	by := map[string]int{}
	for n, m := range mods {
		what := fmt.Sprintf("modifications[%d]", n)
		view := v
		if m.Content != nil {
			view = v.Writing(textfmt.Lines(*m.Content))
		}
		cells, err := m.Range.Cells(what+".range", view)
		if err != nil {
			return out, err
		}
		if err := m.fits(what, len(cells)); err != nil {
			return out, err
		}
		base, err := baseOf(what, m.Revision, len(cells))
		if err != nil {
			return out, err
		}
		for i, c := range cells {
			if first, ok := by[c.ID]; ok {
				return out, fmt.Errorf("modifications[%d] and modifications[%d] both name cell %d: name each cell once; nothing was changed",
					first, n, slices.IndexFunc(v.Now, func(now ydoc.Cell) bool { return now.ID == c.ID }))
			}
			by[c.ID] = n
			cells[i].Type = cmp.Or(m.Type, c.Type)
			if m.Content != nil {
				out.rewrites = append(out.rewrites, rewrite{readset.Change{Cell: c.ID, Source: textfmt.Lines(*m.Content), Base: base}, cells[i]})
			}
		}
		shape, err := m.reshape(v, cells, base)
		if err != nil {
			return out, fmt.Errorf("%s.%w", what, err)
		}
		if shape != nil {
			out.reshapes = append(out.reshapes, shape)
		}
	}
	return out, checkRewrites(out.rewrites)
}

// fits returns an error if the parts of a modification of so many cells do not fit together.
func (m Modification) fits(what string, cells int) error {
	switch {
	case m.Content == nil && m.Type == "" && m.SplitAt == nil && !m.Merge && m.Position == nil && m.AfterID == "":
		return fmt.Errorf("%s changes nothing: give content, type, split_at, merge true, position or after_id; nothing was changed", what)
	case m.Content != nil && (m.SplitAt != nil || m.Merge), m.SplitAt != nil && m.Merge:
		return fmt.Errorf("%s has more than one of content, split_at and merge: give one of them; nothing was changed", what)
	case m.SplitAt != nil && cells != 1:
		return fmt.Errorf("%s splits %s: name one cell; nothing was changed", what, textfmt.Plural(cells, "cell"))
	case m.Merge && cells < 2:
		return fmt.Errorf("%s merges one cell: name at least two by start and end; nothing was changed", what)
	}
	return nil
}

// reshape returns the change of cells other than in their words; nil for none.
func (m Modification) reshape(v target.View, cells []ydoc.Cell, base ydoc.Revision) (*readset.Reshape, error) {
	moves := m.Position != nil || m.AfterID != ""
	if m.Type == "" && m.SplitAt == nil && !m.Merge && !moves {
		return nil, nil
	}
	s := &readset.Reshape{Cells: lo.Map(cells, func(c ydoc.Cell, _ int) string { return c.ID }), Type: m.Type, Join: m.Merge, Base: base}
	for _, line := range m.SplitAt {
		s.Lines = append(s.Lines, line-1)
	}
	if !moves {
		return s, nil
	}
	before, position, err := insertArgs{Position: m.Position, AfterID: m.AfterID}.position(v)
	s.After = func(e *ydoc.Editor) string { return cellBefore(e, before, position, s.Cells) }
	return s, err
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
	reshapes      []*readset.Reshape
	// Merged are the cells whose source now differs from the given one.
	Merged []mergedCell
}

// Modify makes modifications in one transaction. With force new sources replace content that the client has not read.
func Modify(ctx context.Context, doc *session.Document, mods []Modification, force bool) (ChangedCells, error) {
	list, err := changesOf(mods, target.ViewOf(ctx, doc))
	if err != nil {
		return ChangedCells{}, err
	}
	changes := make([]readset.Change, len(list.rewrites))
	for i, t := range list.rewrites {
		changes[i] = t.Change
		changes[i].Force = force
	}
	for _, s := range list.reshapes {
		s.Force = force
	}
	client := tool.ClientOf(ctx)
	cells, err := doc.As(client).Rewrite(ctx, changes, lo.Map(list.reshapes, func(s *readset.Reshape, _ int) readset.Further { return s })...)
	if err != nil {
		return ChangedCells{}, err
	}
	out := ChangedCells{reshapes: list.reshapes}
	most := min(8000, 100_000/max(1, len(cells))) // the maximum length of each merged source, in characters
	for i, t := range list.rewrites {
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
