package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// The names that their server had when it came to run inside Jupyter Server, and has no more.

// listNotebook makes list_notebook.
func listNotebook(d *theirs) tool {
	columns := []string{"Path", "Managed", "Name", "Status", "Current"}
	return tool{
		name:    "list_notebook",
		title:   "List all notebooks",
		toolset: toolsetDatalayer,
		description: "Lists the notebooks on the Jupyter server, in folders too, and which of them you have given names with use_notebook, with their kernels' states and the current one (✓). " +
			"Use it to find a notebook's path. Costs one request per folder; it stops where there are very many, and says so.",
		marks:  marks{readOnly: true, idempotent: true},
		input:  arguments(),
		output: tableSchema(columns...),
		handle: typed(func(ctx context.Context, _ struct{}) (*answer, error) {
			used, err := d.usedRows(ctx)
			if err != nil {
				return nil, err
			}
			found, note, err := walk(ctx, d.manager.Server(), search{
				what: "notebook", depth: maxDepth, wants: func(c jupyter.Content) bool { return c.Type == "notebook" },
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
				there[c.Path] = true
				add(c.Path, "Yes", "No")
			}
			for _, u := range used {
				if !there[u[1]] {
					there[u[1]] = true
					add(u[1], "Yes (not found)", "")
				}
			}
			head := ""
			if note != (walkNote{}) {
				head = "[WARNING] " + note.String() + "\n"
			}
			return tableAnswer("notebooks.list", head, head+"No notebooks found in the Jupyter server.", columns, rows, leftOutRows)
		}),
	}
}

// listCells makes list_cells.
func listCells(d *theirs) tool {
	return tool{
		name:        "list_cells",
		title:       "List the cells of the current notebook",
		toolset:     toolsetDatalayer,
		description: "Lists the cells of the current notebook as they are in the shared document now: index, type, execution count and first line. Use it to find cells; read_cell shows one. Costs one line a cell.",
		marks:       marks{readOnly: true, idempotent: true},
		input:       arguments(),
		output:      tableSchema(overviewColumns...),
		handle: typed(func(ctx context.Context, _ struct{}) (*answer, error) {
			doc, _, err := d.openUsed(ctx, "")
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cells := doc.Notebook().Cells()
			rows := overviewRows(cells, 0, 0)
			for i, c := range cells {
				if rows[i][2] == "N/A" && c.Type == ydoc.Code {
					rows[i][2] = "None" // as that version had it
				}
			}
			a, err := tableAnswer("cells.list", "", "Notebook is empty, no cells found.", overviewColumns, rows, leftOutRows)
			if a != nil {
				a.doc = doc
			}
			return a, err
		}),
	}
}

// An oldCell is a cell as their server had it then.
type oldCell struct {
	Index   int      `json:"index"`
	Type    string   `json:"type"`
	Source  []string `json:"source"` // lines with their ends
	Outputs []any    `json:"outputs,omitempty"`
}

type cellsResult struct {
	Kind   string    `json:"kind"`
	Result []oldCell `json:"result"`
	Left   int       `json:"cells_left_out,omitempty"`
}

// readCells makes read_cells.
func readCells(d *theirs) tool {
	return tool{
		name:    "read_cells",
		title:   "Read all cells of the current notebook",
		toolset: toolsetDatalayer,
		description: "Reads all cells of the current notebook as they are in the shared document now, with their sources and outputs as texts; images are named by their addresses. " +
			"Use it for small notebooks, and read_notebook for others. Costs the length of the sources and up to " + thousands(defaultOutputSize) + " characters of outputs for each cell.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(),
		output: object("", append([]property{
			kindProperty(),
			required("result", list("The cells in order.", object("",
				required("index", integer("")),
				required("type", text("code, markdown or raw.")),
				required("source", list("Lines, with their ends.", text(""))),
				optional("outputs", list("Of a code cell: texts, and objects in the places of images.", schema{{"type", []string{"string", "object"}}})),
			))),
			optional("cells_left_out", integer("Cells that did not fit in the answer: read_notebook with start_index, or read_cell, shows them.")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, _ struct{}) (*answer, error) {
			doc, _, err := d.openUsed(ctx, "")
			if err != nil {
				return nil, err
			}
			defer doc.Release()
			cells := doc.Notebook().Cells()
			out := &cellsResult{Kind: "cells.read", Result: []oldCell{}}
			pictures := d.gallery.tray(ctx, 0)
			pictures.refer = true
			spent := 0
			for i, c := range cells {
				one := oldCell{Index: i, Type: c.Type, Source: linesWithEnds(c.Source)}
				if c.Type == ydoc.Code {
					pictures.from = d.gallery.ofCell(ctx, doc, c)
					shown := contentsOf(readable(c.Outputs)).show(outputLimits{each: defaultOutputSize, total: defaultOutputSize, count: maxOutputs}, pictures)
					for n, o := range shown.outputs {
						one.Outputs = append(one.Outputs, placedOutput(o, shown.images[n], pictures)...)
					}
				}
				b, err := json.Marshal(one)
				if err != nil {
					return nil, fault{fmt.Errorf("write cell %d: %w", i, err)}
				}
				if spent += len(b); spent > answerRoom*2/5 { // it is sent twice
					out.Left = len(cells) - i
					break
				}
				out.Result = append(out.Result, one)
				d.seen.show(ctx, doc, c)
			}
			a := &answer{body: out, doc: doc}
			a.parts = func() (parts []any) {
				for _, c := range out.Result {
					parts = append(parts, c)
				}
				if out.Left > 0 {
					parts = append(parts, verbatim(fmt.Sprintf("[%s left out, because the answer would be too long: read_notebook goes on with start_index %d]", plural(out.Left, "cell"), len(out.Result))))
				}
				return append(parts, warning(a)...)
			}
			return a, nil
		}),
	}
}

// linesWithEnds are the lines of a source, all but the last with their ends.
func linesWithEnds(source string) []string {
	lines := sourceLines(source)
	for i := range max(0, len(lines)-1) {
		lines[i] += "\n"
	}
	if lines == nil {
		lines = []string{}
	}
	return lines
}

type oldRunArgs struct {
	Index    int  `json:"cell_index"`
	Timeout  *int `json:"timeout_seconds"`
	Interval *int `json:"progress_interval"`
}

const oldTimeout = 300 // seconds

// oldRun makes one of the three tools that ran a cell.
func oldRun(d *theirs, name, title, about string, watched func(*watch), more ...property) tool {
	return tool{
		name:    name,
		title:   title,
		toolset: toolsetDatalayer,
		description: "Runs one code cell of the current notebook, in the kernel that people's open tabs share, and returns its outputs as texts and images" + about + ". " +
			"At the timeout the cell is interrupted, and answered with what it has put out. execute_cell does the same. Costs the time the cell takes, and up to " + thousands(defaultCodeSize) + " characters.",
		marks: marks{destructive: true, openWorld: true},
		input: arguments(append([]property{
			required("cell_index", integer("Index of the cell, from 0.").between(0, maxIndex)),
			usedTimeout("timeout_seconds", oldTimeout),
		}, more...)...),
		output: outputsSchema(),
		handle: typed(func(ctx context.Context, args oldRunArgs) (*answer, error) {
			w := usedRun{Timeout: args.Timeout, Interval: args.Interval}.watch("cell.execute", oldTimeout)
			watched(w)
			return d.runUsedCell(ctx, usedCell{Index: &args.Index}, w, codeOptions{})
		}),
	}
}

func executeCellSimpleTimeout(d *theirs) tool {
	return oldRun(d, "execute_cell_simple_timeout", "Run a short cell", "", func(w *watch) {
		w.stream = false
		w.timedOut = "[TIMEOUT ERROR: Cell execution exceeded " + strconv.Itoa(w.seconds) + " seconds]"
	})
}

func executeCellStreaming(d *theirs) tool {
	return oldRun(d, "execute_cell_streaming", "Run a long cell", ", with lines on its progress", func(*watch) {}, intervalProperty())
}

func executeCellWithProgress(d *theirs) tool {
	return oldRun(d, "execute_cell_with_progress", "Run a cell and tell of its progress", "; a client that asks for progress hears of it meanwhile", func(w *watch) { w.stream = false })
}

type ipythonArgs struct {
	Code    string `json:"code"`
	Timeout *int   `json:"timeout"`
}

// executeIPython makes execute_ipython.
func executeIPython(d *theirs) tool {
	const usual = 60 // seconds
	return tool{
		name:    "execute_ipython",
		title:   "Run code in the kernel",
		toolset: toolsetDatalayer,
		description: "Runs code in the kernel of the current notebook, starting one if there is none, without a cell: magics (%timeit), shell commands (!pip list) and Python; returns its outputs as texts and images. " +
			"Use it to look at variables and for tests. At the timeout the code is interrupted. execute_code does the same. Costs the time the code takes, and up to " + thousands(defaultCodeSize) + " characters.",
		marks: marks{destructive: true, openWorld: true},
		input: arguments(
			required("code", text("In the kernel's language, mostly Python.").length(1, maxSource)),
			usedTimeout("timeout", usual),
		),
		output: outputsSchema(),
		handle: typed(func(ctx context.Context, args ipythonArgs) (*answer, error) {
			return d.runUsedCode(ctx, args.Code, "", usedRun{Timeout: args.Timeout}.watch("code.execute", usual), codeOptions{})
		}),
	}
}
