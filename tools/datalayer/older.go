package datalayer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// The names that their server had when it began to run inside Jupyter Server, and dropped later.

// listNotebook makes list_notebook.
func listNotebook(d *Toolset) tool.Tool {
	columns := []string{"Path", "Managed", "Name", "Status", "Current"}
	return tool.Tool{
		Name:        "list_notebook",
		Title:       "List all notebooks",
		Description: "Lists all notebooks on the Jupyter server and, for the ones with a name, that name, the kernel's state and which is current (✓). Use it to find a notebook's path. Costs one request per folder; it stops if there are very many, and says so.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tableSchema(columns...),
		Call: tool.Typed(func(ctx context.Context, _ struct{}) (*tool.Answer, error) {
			used, err := d.usedRows(ctx)
			if err != nil {
				return nil, err
			}
			found, note, err := d.Walk(ctx, files.Search{
				What: "notebook", Depth: files.MaxDepth, Wants: func(c jupyter.Content) bool { return c.Type == "notebook" },
			})
			if err != nil {
				return nil, err
			}
			var rows [][]string
			there := map[string]bool{}
			add := func(p, managed, none string) {
				n := len(rows)
				for _, u := range used { // name, path, kernel, status, mark
					if u[1] == p {
						rows = append(rows, []string{p, managed, u[0], u[3], u[4]})
					}
				}
				if len(rows) == n {
					rows = append(rows, []string{p, none, "-", "-", ""})
				}
			}
			for _, c := range found {
				there[c.Path.String()] = true
				add(c.Path.String(), "Yes", "No")
			}
			for _, u := range used {
				if !there[u[1]] {
					there[u[1]] = true
					add(u[1], "Yes (not found)", "")
				}
			}
			head := ""
			if note != (files.WalkNote{}) {
				head = "[WARNING] " + note.String() + "\n"
			}
			return tableAnswer("notebooks.list", head, head+"No notebooks found in the Jupyter server.", columns, rows, leftOutRows)
		}),
	}
}

// listCells makes list_cells.
func listCells(d *Toolset) tool.Tool {
	return tool.Tool{
		Name:        "list_cells",
		Title:       "List the cells of the current notebook",
		Description: "Lists the cells of the current notebook as they are in the shared document now: index, type, execution count and first line. Use it to find cells. Costs one line per cell.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      cellTableSchema(overviewColumns...),
		Call: inUsed(d, func(ctx context.Context, doc *session.Document, _ inCurrent) (*tool.Answer, error) {
			revision := target.Revision(target.Now(doc)) // read first, because a revision that is too old is harmless
			cells := doc.Notebook().Cells()
			rows := overviewRows(cells, 0, 0)
			for i, c := range cells {
				if rows[i][2] == "N/A" && c.Type == ydoc.Code {
					rows[i][2] = "None" // as that version wrote it
				}
			}
			a, err := tableAnswer("cells.list", "", "Notebook is empty, no cells found.", overviewColumns, rows, leftOutRows)
			if a != nil {
				table, _ := a.Body.(*tableResult)
				parts := a.Parts
				a.Doc, a.Body = doc, &cellTable{table, revision}
				a.Parts = func() []any { return slices.Concat(parts(), atRevision(revision)) }
				noteOverview(ctx, doc, cells, 0, len(cells))
			}
			return a, err
		}),
	}
}

// An oldCell is a cell in the format of that version.
type oldCell struct {
	Index   int      `json:"index"`
	Type    string   `json:"type" jsonschema:"code, markdown or raw."`
	Source  []string `json:"source" jsonschema:"Lines, with line ends."`
	Outputs []any    `json:"outputs,omitempty" jsonschema:"Of a code cell: texts, and objects for images."`
}

// Refine implements tool.Refiner.
func (oldCell) Refine(f tool.Fields) { placedItems(f.Field("outputs")) }

type cellsResult struct {
	Kind     string    `json:"kind" jsonschema:"Kind of answer, such as \"cell.read\"."`
	Result   []oldCell `json:"result" jsonschema:"The cells in order."`
	Left     int       `json:"cells_left_out,omitempty" jsonschema:"Cells that did not fit in the answer."`
	Revision string    `json:"revision" jsonschema:"Of the notebook."`
}

// readCells makes read_cells.
func readCells(d *Toolset) tool.Tool {
	return tool.Tool{
		Name:        "read_cells",
		Title:       "Read all cells of the current notebook",
		Description: "Reads all cells of the current notebook as they are now, with their sources and outputs as texts; images are named by their addresses. Use it for small notebooks. Costs the length of the sources and up to " + textfmt.Thousands(notebook.DefaultOutputSize) + " characters of outputs per cell.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.DocumentResultOf[cellsResult](nil),
		Call: inUsed(d, func(ctx context.Context, doc *session.Document, _ inCurrent) (*tool.Answer, error) {
			revision := target.Now(doc) // read first, because a revision that is too old is harmless
			cells := doc.Notebook().Cells()
			out := &cellsResult{Kind: "cells.read", Result: []oldCell{}, Revision: target.Revision(revision)}
			pictures := d.Images.NewSet(ctx, 0)
			pictures.AddressesOnly = true
			spent := 0
			for i, c := range cells {
				one := oldCell{Index: i, Type: c.Type, Source: linesWithEnds(datauri.Short(c.Source))}
				if c.Type == ydoc.Code {
					pictures.From = d.Images.OfCell(ctx, doc, c)
					shown := render.ContentsOf(readable(c.Outputs)).Show(render.LimitsOf(notebook.DefaultOutputSize), pictures)
					for n, o := range shown.Outputs {
						one.Outputs = append(one.Outputs, placedOutput(o, shown.Images[n], pictures)...)
					}
				}
				b, err := json.Marshal(one)
				if err != nil {
					return nil, tool.Fault{Err: fmt.Errorf("write cell %d: %w", i, err)}
				}
				if spent += len(b); spent > tool.AnswerBudget*2/5 { // it is sent twice
					out.Left = len(cells) - i
					break
				}
				out.Result = append(out.Result, one)
				doc.As(tool.ClientOf(ctx)).Show(c)
			}
			doc.As(tool.ClientOf(ctx)).ListRange(cells, 0, len(out.Result))
			target.TouchCells(ctx, doc, cells[:len(out.Result)])
			a := &tool.Answer{Body: out, Doc: doc}
			a.Parts = func() (parts []any) {
				for _, c := range out.Result {
					parts = append(parts, c)
				}
				if out.Left > 0 {
					parts = append(parts, tool.Verbatim(fmt.Sprintf("[%s left out, because the answer would be too long"+textfmt.Hint(": read_notebook continues with start_index %d")+"]", textfmt.Plural(out.Left, "cell"), len(out.Result))))
				}
				return slices.Concat(parts, atRevision(out.Revision), warning(a))
			}
			return a, nil
		}),
	}
}

// linesWithEnds returns the lines of a source, all but the last with their line ends.
func linesWithEnds(source string) []string {
	if source == "" {
		return []string{}
	}
	return strings.SplitAfter(strings.TrimSuffix(source, "\n"), "\n")
}

const (
	oldTimeout     = 300 // seconds
	ipythonTimeout = 60  // seconds
)

type oldRunArgs struct {
	Index   int  `json:"cell_index" jsonschema:"Index of the cell, from 0." validate:"max=index"`
	Timeout *int `json:"timeout_seconds,omitempty"`
}

// Refine implements tool.Refiner.
func (oldRunArgs) Refine(f tool.Fields) {
	timeoutField(f.Field("timeout_seconds"), oldTimeout)
}

// oldStreamArgs are the arguments of the tool that reports progress, a superset of the others'.
type oldStreamArgs struct {
	oldRunArgs
	Interval *int `json:"progress_interval,omitempty"`
}

// Refine implements tool.Refiner.
func (oldStreamArgs) Refine(f tool.Fields) { intervalField(f.Field("progress_interval")) }

// oldRun makes one of the three tools that ran a cell.
func oldRun(d *Toolset, name, title, about string, input tool.Schema, watched func(*Watch)) tool.Tool {
	return tool.Tool{
		Name:  name,
		Title: title,
		Description: "Runs one code cell of the current notebook, in the kernel that people's tabs share, and returns its outputs as texts and images" + about + ". " +
			"Use it to run a cell as it is. At the timeout the cell is interrupted, and its outputs so far are returned.",
		Hints:  tool.Hints{Destructive: true, OpenWorld: true},
		Output: Outputs(),
		Call: tool.Refined(input, func(ctx context.Context, args oldStreamArgs) (*tool.Answer, error) {
			w := UsedRun{Timeout: args.Timeout, Interval: args.Interval}.Watch("cell.execute", oldTimeout)
			watched(w)
			return d.RunUsedCell(ctx, UsedCell{Index: &args.Index}, w, analysis.CodeOptions{})
		}),
	}
}

func executeCellSimpleTimeout(d *Toolset) tool.Tool {
	return oldRun(d, "execute_cell_simple_timeout", "Run a short cell", "", tool.ArgumentsOf[oldRunArgs](nil), func(w *Watch) {
		w.stream = false
		w.timedOut = "[TIMEOUT ERROR: Cell execution exceeded " + strconv.Itoa(w.seconds) + " seconds]"
	})
}

func executeCellStreaming(d *Toolset) tool.Tool {
	return oldRun(d, "execute_cell_streaming", "Run a long cell", ", with progress lines", tool.ArgumentsOf[oldStreamArgs](nil), func(*Watch) {})
}

func executeCellWithProgress(d *Toolset) tool.Tool {
	return oldRun(d, "execute_cell_with_progress", "Run a cell and report its progress", "; clients that request progress get it", tool.ArgumentsOf[oldRunArgs](nil), func(w *Watch) { w.stream = false })
}

type ipythonArgs struct {
	Code    string `json:"code" jsonschema:"In the kernel's language, mostly Python." validate:"min=1,max=source"`
	Timeout *int   `json:"timeout,omitempty"`
}

// Refine implements tool.Refiner.
func (ipythonArgs) Refine(f tool.Fields) {
	timeoutField(f.Field("timeout"), ipythonTimeout)
}

// executeIPython makes execute_ipython.
func executeIPython(d *Toolset) tool.Tool {
	return tool.Tool{
		Name:  "execute_ipython",
		Title: "Run code in the kernel",
		Description: "Runs code in the kernel of the current notebook, starting one if needed, without a cell: magics (%timeit), shell commands (!pip list) and Python; returns its outputs as texts and images. " +
			"Use it to inspect variables and for tests. At the timeout the code is interrupted.",
		Hints:  tool.Hints{Destructive: true, OpenWorld: true},
		Output: Outputs(),
		Call: tool.Typed(func(ctx context.Context, args ipythonArgs) (*tool.Answer, error) {
			return d.RunUsedCode(ctx, args.Code, "", UsedRun{Timeout: args.Timeout}.Watch("code.execute", ipythonTimeout), analysis.CodeOptions{})
		}),
	}
}
