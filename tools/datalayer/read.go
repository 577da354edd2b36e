package datalayer

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// overviewColumns head the table of a notebook's cells.
var overviewColumns = []string{"Index", "Type", "Count", "First Line"}

// overview returns a table of the cells from start on, at most limit of them, or all for 0.
func overview(cells []ydoc.Cell, start, limit int) string {
	if len(cells) == 0 {
		return "Notebook is empty"
	}
	return table(overviewColumns, overviewRows(cells, start, limit))
}

// noteOverview records that the client of ctx was shown the first lines of cells, from the index start on: for a cell of one
// line that is the whole source.
func noteOverview(ctx context.Context, doc *session.Document, cells []ydoc.Cell, start, count int) {
	client := tool.ClientOf(ctx)
	doc.As(client).ListRange(cells, start, count)
	for i := start; i < min(start+count, len(cells)); i++ {
		if headLine(cells[i].Source) == datauri.Short(cells[i].Source) {
			doc.As(client).Show(cells[i])
		}
	}
	target.TouchCells(ctx, doc, cells[start:min(start+count, len(cells))])
}

func overviewRows(cells []ydoc.Cell, start, limit int) (rows [][]string) {
	end := len(cells)
	if limit > 0 {
		end = min(end, start+limit)
	}
	for i := start; i < end; i++ {
		rows = append(rows, []string{strconv.Itoa(i), cells[i].Type, countText(cells[i]), headLine(cells[i].Source)})
	}
	return rows
}

// headLine returns the first line of a source, with the number of further lines.
func headLine(source string) string {
	lines := sourceLines(datauri.Short(source))
	if len(lines) == 0 {
		return ""
	}
	first, _ := textfmt.Cut(lines[0], render.MaxLine)
	if n := len(lines) - 1; n > 0 {
		first += fmt.Sprintf("...(%d lines hidden)", n)
	}
	return first
}

// sourceLines returns the lines of a source without their ends. A line end at the very end does not begin another line.
func sourceLines(source string) []string {
	if source == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(source, "\n"), "\n")
}

// countText returns a cell's execution count in the format of their tables and heads.
func countText(c ydoc.Cell) string {
	if c.Type != ydoc.Code || c.ExecutionCount == nil || *c.ExecutionCount == 0 {
		return "N/A"
	}
	return strconv.Itoa(*c.ExecutionCount)
}

// cellHead returns the line above a cell.
func cellHead(c ydoc.Cell, index int) string {
	return fmt.Sprintf("=====Cell %d | type: %s | execution count: %s=====", index, c.Type, countText(c))
}

type readNotebookArgs struct {
	Name   string `json:"notebook_name" jsonschema:"The name that you gave it, or a notebook's path." validate:"min=1,max=path"`
	Format string `json:"response_format,omitempty" jsonschema:"First lines, or whole sources." validate:"oneof=brief detailed" default:"brief"`
	Start  int    `json:"start_index,omitempty" jsonschema:"First cell to read." validate:"max=index" default:"0"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"Maximum cells; 0: all." validate:"max=index" default:"20"`
}

const (
	// formatDetailed is the response_format with whole sources.
	formatDetailed = "detailed"
	// cellsShown is the default number of cells that read_notebook shows.
	cellsShown = 20
)

// readNotebook makes read_notebook.
func readNotebook(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "read_notebook",
		Title:       "Read a notebook",
		Description: "Reads the cells of a notebook in use, as they are now: \"brief\" gives a table with the first line of each, \"detailed\" their whole sources, without outputs. Use brief to find cells, then detailed with start_index and limit. Costs as much as it shows.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.DocumentResultOf[readResult](nil),
		Call: tool.Typed(func(ctx context.Context, args readNotebookArgs) (*tool.Answer, error) {
			doc, name, err := d.openUsed(ctx, args.Name)
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			return d.readUsed(ctx, doc, name, args.Format == formatDetailed, args.Start, tool.ValueOr(args.Limit, cellsShown))
		}),
	})
}

// readUsed answers with cells of a notebook, and with fewer if they would be too long for an answer.
func (d *Toolset) readUsed(ctx context.Context, doc *session.Document, name string, detailed bool, start, limit int) (*tool.Answer, error) {
	revision := target.Now(doc) // read first, because a revision that is too old is harmless
	cells := doc.Notebook().Cells()
	if start >= len(cells) && start > 0 {
		return nil, theirWords("Start index %d is out of range. Notebook has %d cells.", start, len(cells))
	}
	count := len(cells) - start
	if limit > 0 {
		count = min(count, limit)
	}
	wanted := count
	out := &readResult{textResult{Kind: "notebook.read"}, target.Revision(revision)}
	write := func() {
		shown := overview(cells, start, count)
		if count == 0 && len(cells) > 0 {
			shown = ""
		}
		if detailed && count > 0 {
			shown = sourcesOf(cells, start, count, tool.AnswerBudget/4)
		}
		out.Result = fmt.Sprintf("Notebook %s has %d cells.\n\n%s", name, len(cells), shown)
		if count < wanted {
			out.Result += fmt.Sprintf("\n[%s left out, because the answer would be too long: continue with start_index %d]", textfmt.Plural(wanted-count, "cell"), start+count)
		}
	}
	write()
	a := out.answer(doc)
	err := a.TrimTo(count, func(n int) {
		count = n
		write()
	})
	if err == nil {
		noteOverview(ctx, doc, cells, start, count)
	}
	if err == nil && detailed {
		for i := start; i < start+count; i++ {
			if strings.Contains(out.Result, datauri.Short(cells[i].Source)) {
				doc.As(tool.ClientOf(ctx)).Show(cells[i])
			}
		}
	}
	return a, err
}

// sourcesOf returns the sources of cells, each below its head and cut to size.
func sourcesOf(cells []ydoc.Cell, start, count, each int) string {
	var parts []string
	for i := start; i < start+count; i++ {
		source, _ := textfmt.Cut(strings.TrimSuffix(datauri.Short(cells[i].Source), "\n"), each)
		parts = append(parts, cellHead(cells[i], i)+"\n", source, "\n\n")
	}
	return strings.Join(parts, "\n")
}

type readCellArgs struct {
	UsedCell
	Outputs *bool `json:"include_outputs,omitempty" jsonschema:"Whether to show outputs." default:"true"`
}

// readCell makes read_cell.
func readCell(d *Toolset) tool.Tool {
	return ofToday(tool.Tool{
		Name:        "read_cell",
		Title:       "Read a cell",
		Description: "Reads one cell as it is now: its type and execution count, its whole source, and a code cell's outputs as texts and images. Use it before changing a cell, and to see its outputs. Outputs longer than " + textfmt.Thousands(analysis.DefaultCodeSize) + " characters are cut in the middle.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.DocumentResultOf[cellResult](nil),
		Call: tool.Typed(func(ctx context.Context, args readCellArgs) (*tool.Answer, error) {
			var revision ydoc.Revision
			var view target.View
			cell, err := args.open(ctx, d, func(ctx context.Context, doc *session.Document) target.View {
				revision = target.Now(doc) // read first, because a revision that is too old is harmless
				view = target.ViewNow(ctx, doc)
				return view
			})
			if err != nil {
				return nil, err
			}
			doc := cell.doc
			defer doc.Release()
			o := shownRun{kind: "cell.read", revision: target.Revision(revision), size: analysis.DefaultCodeSize}
			o.CellID, o.NewSet, o.From = cell.ID, d.Images.Sets(ctx), d.Images.OfCell(ctx, doc, cell.Cell)
			o.head = []string{cellHead(cell.Cell, cell.at), datauri.Short(cell.Source)}
			o.Outputs = render.PicturesOf(cell.Cell)
			if cell.Type == ydoc.Code && (args.Outputs == nil || *args.Outputs) {
				o.Outputs = append(o.Outputs, cell.Outputs...)
			}
			a, whole, err := o.answer(doc)
			if err == nil && whole {
				doc.As(tool.ClientOf(ctx)).Show(cell.Cell)
			}
			doc.As(tool.ClientOf(ctx)).ListRange(view.Now, cell.at, 1)
			return a, err
		}),
	})
}
