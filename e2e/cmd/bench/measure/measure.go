package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/nbduet/nbduet/e2e/answers"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/tokens"
)

// The notebooks that each server has in its folder.
const (
	fixedName   = "fixed.ipynb"   // forty cells
	bareName    = "bare.ipynb"    // the same without outputs
	scratchName = "scratch.ipynb" // cells to run
)

// sources are the cells of the notebook to run; the first makes what the second shows.
var sources = []string{
	"import pandas as pd\n\ndf = pd.DataFrame({\"day\": range(1, 101), \"bikes\": [n * n % 997 for n in range(1, 101)], \"rain\": [n % 7 / 2 for n in range(1, 101)]})",
	"df.head()",
	"1 / 0",
}

// scratch is the notebook to run.
func scratch() ([]byte, error) {
	var cells []map[string]any
	for i, source := range sources {
		cells = append(cells, map[string]any{
			"id": fmt.Sprintf("run-%d", i), "cell_type": "code", "metadata": map[string]any{}, "source": source,
			"execution_count": nil, "outputs": []any{},
		})
	}
	b, err := json.Marshal(map[string]any{
		"cells": cells, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "python3", "display_name": "Python 3", "language": "python"}},
	})
	if err != nil {
		return nil, fmt.Errorf("write the notebook to run: %w", err)
	}
	return b, nil
}

// The lines that the comparison also shows.
const (
	readOutputs = "read 40 cells with outputs"
	changeCell  = "change a cell not run"
	runFailing  = "run 1/0"
	givenTools  = "the list of tools, as models get it"
	wholeTask   = "all of it"
)

// line is a line of the table. Content is negative if an answer shows no content.
type line struct {
	what                  string
	nbduet, other, itself int
	calls, otherCalls     int // of nbduet and of the other; 0 for a line that is not about calls
	note                  string
}

// measurement describes one line. One without a name only makes the calls that have to come before others.
type measurement struct {
	what   string
	ours   []call
	theirs []call
	// file and cells select the content itself: these cells of that nbduet notebook after the calls, or all cells.
	file  string
	cells []int
	// shows counts the part of them that an answer shows.
	shows func(tokens.Content) int
	// says lists words that both servers' answers must contain: the cost of an unrelated answer says nothing.
	says []string
	// pictures is the number of pictures that the answers of both must show.
	pictures int
	// fails allows an answer that reports an error.
	fails bool
	note  string
}

func all(c tokens.Content) int     { return c.Total() }
func outputs(c tokens.Content) int { return c.Outputs }

// measurements are the lines, in the order of the calls.
func measurements() []measurement {
	our := func(name string) string { return "nbduet/" + name }
	ranges := func(i int) []map[string]any { return []map[string]any{{"start": i}} }
	var each []call
	for i := range answers.Cells {
		each = append(each, call{"read_cell", map[string]any{"cell_index": i}})
	}
	use := func(name, kernel string) call {
		args := map[string]any{"notebook_name": name, "notebook_path": "datalayer/" + name}
		if kernel != "" {
			args["kernel_id"] = kernel
		}
		return call{"use_notebook", args}
	}
	const changed = "frame.describe()"
	return []measurement{
		{theirs: []call{use(bareName, "")}},
		{
			what: "read 40 cells without outputs", file: bareName, shows: all, says: []string{"Zahlen, ihre Quadrate und Kuben"},
			ours:   []call{{"read_nb_cells", map[string]any{"path": our(bareName)}}},
			theirs: []call{{"read_notebook", map[string]any{"notebook_name": bareName, "response_format": "detailed", "limit": 0}}},
			note:   "read_nb_cells; read_notebook with response_format=detailed and limit=0, which shows no outputs",
		},
		{theirs: []call{use(fixedName, "")}},
		{
			what: readOutputs, file: fixedName, shows: all, says: []string{"30      900        27000"},
			ours: []call{{"read_nb_cells", map[string]any{"path": our(fixedName)}}}, theirs: each,
			note: "read_nb_cells; read_cell of each of the 40, for no other tool shows outputs",
		},
		{
			what: "read one cell with a table", file: fixedName, cells: []int{answers.Table}, shows: all, says: []string{"4    5   1104"},
			ours:   []call{{"read_nb_cells", map[string]any{"path": our(fixedName), "ranges": ranges(answers.Table)}}},
			theirs: each[answers.Table : answers.Table+1],
			note:   "read_nb_cells with one range; read_cell",
		},
		{
			what:   changeCell,
			ours:   []call{{"modify_nb_cells", map[string]any{"path": our(fixedName), "exec": false, "modifications": []map[string]any{{"range": map[string]any{"start": answers.NotRun}, "content": changed}}}}},
			theirs: []call{{"overwrite_cell_source", map[string]any{"cell_index": answers.NotRun, "cell_source": changed}}},
			note:   "modify_nb_cells with exec=false; overwrite_cell_source, which answers with a diff",
		},
		{theirs: []call{use(scratchName, "NEW"), {"execute_cell", map[string]any{"cell_index": 0}}}, ours: []call{{"execute_nb_cells", map[string]any{"path": our(scratchName), "ranges": ranges(0)}}}},
		{
			what: "run df.head()", file: scratchName, cells: []int{1}, shows: outputs, says: []string{"bikes"},
			ours:   []call{{"execute_nb_cells", map[string]any{"path": our(scratchName), "ranges": ranges(1)}}},
			theirs: []call{{"execute_cell", map[string]any{"cell_index": 1}}},
			note:   "execute_nb_cells; execute_cell",
		},
		{
			what: runFailing, file: scratchName, cells: []int{2}, shows: outputs, fails: true, says: []string{"ZeroDivisionError"},
			ours:   []call{{"execute_nb_cells", map[string]any{"path": our(scratchName), "ranges": ranges(2)}}},
			theirs: []call{{"execute_cell", map[string]any{"cell_index": 2}}},
			note:   "execute_nb_cells; execute_cell",
		},
		{
			what: "insert and run print(1)", file: scratchName, cells: []int{3}, shows: outputs, says: []string{"1"},
			ours:   []call{{"insert_nb_cells", map[string]any{"path": our(scratchName), "position": 3, "cells": []map[string]any{{"type": "code", "content": "print(1)"}}}}},
			theirs: []call{{"insert_execute_code_cell", map[string]any{"cell_index": 3, "cell_source": "print(1)"}}},
			note:   "insert_nb_cells; insert_execute_code_cell",
		},
	}
}

// measure makes the calls, and returns the lines of the table.
func measure(ctx context.Context, jupyter *lab.Lab, ours, theirs *server) ([]line, error) {
	var lines []line
	for _, m := range measurements() {
		l := line{what: m.what, itself: -1, calls: len(m.ours), otherCalls: len(m.theirs), note: m.note}
		var err error
		if l.nbduet, err = ours.cost(ctx, m, m.ours); err != nil {
			return nil, err
		}
		if l.other, err = theirs.cost(ctx, m, m.theirs); err != nil {
			return nil, err
		}
		if m.what == "" {
			continue // only a preparation
		}
		if m.shows != nil {
			if l.itself, err = itself(ctx, jupyter.Path("nbduet/"+m.file), m); err != nil {
				return nil, err
			}
		}
		lines = append(lines, l)
	}
	sent := line{what: "the list of tools, as sent", itself: -1, note: "tools/list, with titles, annotations and the schemas of results"}
	given := line{what: givenTools, itself: -1, note: "of it, names, descriptions and arguments"}
	var err error
	if sent.nbduet, given.nbduet, err = ours.list(ctx); err != nil {
		return nil, err
	}
	if sent.other, given.other, err = theirs.list(ctx); err != nil {
		return nil, err
	}
	return append(lines, sent, given), nil
}

// itself counts the tokens of a measurement's cells once the autosave has written their outputs to the file.
func itself(ctx context.Context, file string, m measurement) (n int, err error) {
	err = poll.Until(ctx, "the outputs to be in "+file, func(context.Context) error {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if m.cells != nil {
			if content, err = only(content, m.cells); err != nil {
				return err
			}
		}
		says, err := tokens.Of(content, 0)
		if err != nil {
			return err
		}
		if n = m.shows(says); n == 0 {
			return errors.New("there is nothing")
		}
		return nil
	})
	return n, err
}

// only returns a notebook of some cells of another.
func only(file []byte, cells []int) ([]byte, error) {
	var nb struct {
		Cells []json.RawMessage `json:"cells"`
	}
	if err := json.Unmarshal(file, &nb); err != nil {
		return nil, fmt.Errorf("read the notebook: %w", err)
	}
	var kept []json.RawMessage
	for _, i := range cells {
		if i >= len(nb.Cells) {
			return nil, fmt.Errorf("the notebook has %d cells, and none at %d", len(nb.Cells), i)
		}
		kept = append(kept, nb.Cells[i])
	}
	return json.Marshal(map[string]any{"cells": kept})
}
