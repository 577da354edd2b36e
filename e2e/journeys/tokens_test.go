package journeys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/tokens"
)

// answersFile gets the answers, for people to read.
var answersFile = filepath.Join("artifacts", "answers-in-words.txt")

// Limits of answers in tokens of o200k.
const (
	mostTable   = 65 // a run whose output is a table of some 40 tokens
	mostBesides = 25 // a run, without its output
	mostError   = 60 // a run that fails in a cell of one line
	mostInsert  = 40 // an inserted cell that prints one line
	mostDone    = 25 // a confirmation without outputs
	mostWritten = 35 // a confirmation with the revision and the neighbors of the changed cells
	mostDeleted = 50 // a deletion of a cell of some lines, which it shows
)

// The cells of the story. The frames have five columns: pandas writes two rows of the first in some 40 tokens, and five
// of the other in about twice as many.
const (
	framesCell = `import pandas as pd

trips = pd.DataFrame({"day": [1, 2], "bikes": [812, 905], "cars": [31, 27], "rain": [0, 4], "wind": [3, 2]})
month = pd.DataFrame({"day": range(1, 31), "bikes": [700 + 37 * n % 500 for n in range(30)], "cars": 31, "rain": [n % 7 / 2 for n in range(30)], "road": "north"})
busiest = {"day": 14, "bikes": 1181}`

	loopCell = `for n in range(3):
    print(n)  # a number`
)

// story is a piece of work; each of its answers is recorded.
type story struct {
	t    *testing.T
	a    *agent.Agent
	path string
	told strings.Builder
	used []string
	// cost is the cost of the last answer.
	cost int
}

// tell calls a tool that has to succeed. Its answer may cost most tokens, unless most is 0.
func (s *story) tell(what, tool string, args map[string]any, most int) string {
	s.t.Helper()
	said := do(s.t, s.a, tool, args)
	s.record(what, tool, args, said)
	if most > 0 && s.cost > most {
		s.t.Errorf("%s costs %d tokens, may cost %d: %s", what, s.cost, most, said)
	}
	return said
}

// refused calls a tool that has to fail.
func (s *story) refused(what, tool string, args map[string]any) {
	s.t.Helper()
	answer, err := s.a.Call(s.t.Context(), tool, args)
	must.NoError(s.t, err)
	s.record(what, tool, args, answer.Text)
	if !answer.IsError {
		s.t.Errorf("%s is not refused: %s", what, answer.Text)
	}
}

// record keeps an answer and counts its tokens.
func (s *story) record(what, tool string, args map[string]any, said string) {
	s.t.Helper()
	var err error
	s.cost, err = tokens.Count(said)
	must.NoError(s.t, err)
	given, err := json.Marshal(args)
	must.NoError(s.t, err)
	part := fmt.Sprintf("=== %s\n%s %s\n--- %d tokens\n%s\n", what, tool, given, s.cost, said)
	s.told.WriteString(part + "\n")
	s.used = append(s.used, tool)
	s.t.Log(part)
}

// in returns arguments for the story's notebook.
func (s *story) in(args map[string]any) map[string]any {
	args["path"] = s.path
	return args
}

// at returns the arguments of a tool for one cell.
func (s *story) at(index int, more ...any) map[string]any {
	args := map[string]any{"ranges": []any{map[string]any{"start": index}}}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return s.in(args)
}

// insert returns the arguments for new cells; headings become Markdown cells.
func (s *story) insert(position int, run bool, contents ...string) map[string]any {
	var cells []any
	for _, c := range contents {
		kind := "code"
		if strings.HasPrefix(c, "# ") {
			kind = "markdown"
		}
		cells = append(cells, map[string]any{"type": kind, "content": c})
	}
	return s.in(map[string]any{"position": position, "exec": run, "cells": cells})
}

// modify returns the arguments for a new source of a cell.
func (s *story) modify(index int, content string) map[string]any {
	return s.in(map[string]any{"exec": false, "modifications": []any{map[string]any{"range": map[string]any{"start": index}, "content": content}}})
}

// itself counts the tokens of a cell's outputs in the file.
func (s *story) itself(index int) (n int) {
	s.t.Helper()
	fileHas(s.t, kit.Jupyter(s.t), s.path, "the output", func(cells []nbfile.Cell) error {
		if index >= len(cells) || len(cells[index].Outputs) == 0 {
			return errors.New("there is none")
		}
		var text nbfile.Text
		if err := json.Unmarshal(cells[index].Outputs[0].Data["text/plain"], &text); err != nil {
			return err
		}
		var err error
		n, err = tokens.Count(string(text))
		return err
	})
	return n
}

// little reports a run that costs too much in addition to its output.
func (s *story) little(index int) {
	s.t.Helper()
	if itself := s.itself(index); s.cost > itself+mostBesides {
		s.t.Errorf("an output of %d tokens costs %d, may cost %d", itself, s.cost, itself+mostBesides)
	}
}

// Answers in words of the default list's tools cost hardly more than the outputs themselves. All answers are kept for
// people to read.
func TestAnswersCostLittle(t *testing.T) {
	t.Parallel()
	folder := fmt.Sprintf("work-%d", time.Now().Unix())
	must.NoError(t, os.Mkdir(kit.Jupyter(t).Path(folder), 0o700))
	s := &story{t: t, a: kit.StartAgentAs(t, agent.Options{Words: true}), path: folder + "/bikes.ipynb"}
	t.Cleanup(func() {
		must.NoError(t, os.MkdirAll(filepath.Dir(answersFile), 0o755))
		must.NoError(t, os.WriteFile(answersFile, []byte(s.told.String()), 0o600))
	})
	s.tell("creating a notebook", "create_document", s.in(map[string]any{}), mostDone)
	t.Cleanup(func() { must.NoError(t, kit.Jupyter(t).EndKernel(context.Background(), s.path)) })
	listed, err := s.a.Tools(t.Context()) // find_tools lists more later
	must.NoError(t, err)
	s.runs()
	s.edits()
	s.merges()
	s.looks()
	s.waits()
	s.further()
	for _, name := range listed {
		if !slices.Contains(s.used, name) {
			t.Errorf("the answer of %s is not shown", name)
		}
	}
}

// runs executes tables, an error and a plot.
func (s *story) runs() {
	s.tell("listing the notebooks", "list_nbs", nil, 0)
	s.tell("reading an empty notebook", "read_nb_cells", s.in(map[string]any{}), 0)
	s.tell("inserting and running several cells", "insert_nb_cells", s.insert(0, true, "# Bikes", framesCell), 0)
	s.tell("inserting cells without running them", "insert_nb_cells", s.insert(2, false, "trips.head()", "month.head()", "1/0", figure), 0)
	s.tell("running a cell that shows a small table", "execute_nb_cells", s.at(2), mostTable)
	s.little(2)
	s.tell("running a cell that shows a table", "execute_nb_cells", s.at(3), 0)
	s.little(3)
	s.tell("running a cell that fails", "execute_nb_cells", s.at(4), mostError)
	has(s.t, "the picture", s.tell("running a cell that draws", "execute_nb_cells", s.at(5), 0), figureSays)
	s.tell("running several cells of which one fails", "execute_nb_cells", s.in(map[string]any{"ranges": []any{map[string]any{"start": 1, "end": 6}}}), 0)
	has(s.t, "the inserted cell", s.tell("inserting and running print(1)", "insert_nb_cells", s.insert(6, true, "print(1)"), mostInsert), "]\n@@ out\n1")
}

// edits changes cells.
func (s *story) edits() {
	s.tell("changing a cell without running it", "modify_nb_cells", s.modify(6, loopCell), mostWritten)
	s.tell("changing a piece of text", "edit_text", s.in(map[string]any{"old_text": "range(3)", "new_text": "range(4)"}), mostWritten)
	ran := s.tell("changing a cell and running it", "modify_nb_cells", s.in(map[string]any{
		"modifications": []any{map[string]any{"range": map[string]any{"start": 4}, "content": "2/1"}},
	}), 0)
	has(s.t, "the changed cell", ran, "]\n@@ out\n2.0")
	s.tell("moving a cell", "modify_nb_cells", s.in(map[string]any{"modifications": []any{map[string]any{"range": map[string]any{"start": 6}, "position": 2}}}), mostWritten)
	s.tell("clearing the outputs of a cell", "delete_nb_cells", s.at(5, "what", "outputs"), mostDone)
	s.tell("deleting a cell", "delete_nb_cells", s.at(5), mostDeleted)
}

// merges changes a cell in which a person has typed in the meantime.
func (s *story) merges() {
	revision := regexp.MustCompile(`revision (\w+)`).FindStringSubmatch(s.tell("reading one cell before somebody types", "read_nb_cells", s.at(2), 0))
	if revision == nil {
		s.t.Fatal("what was read has no revision")
	}
	person := join(s.t, kit.Jupyter(s.t), s.path)
	person.types(2, len(loopCell), "\nprint('typed by hand')")
	said := s.tell("changing a cell in which somebody has typed", "modify_nb_cells", s.modify(2, strings.ReplaceAll(loopCell, "range(3)", "range(5)")), 0)
	has(s.t, "the merge", said, "\n+print('typed by hand')")
	if strings.Contains(said, "@@@") {
		s.t.Errorf("what was merged looks like the program's own lines: %s", said)
	}
	has(s.t, "what changed", s.tell("asking what somebody else has changed", "changes_since", s.in(map[string]any{"revision": revision[1]}), 0), "\n+print('typed by hand')")
	s.tell("looking around", "look_around", s.in(map[string]any{}), 0)
	s.tell("waiting to be called by name", "wait_for_mention", s.in(map[string]any{"timeout": 0}), mostDone)
	has(s.t, "what was taken back", s.tell("taking back the change", "undo_agent", s.in(map[string]any{}), 0), "range(4)", "typed by hand")
	s.tell("reading all cells", "read_nb_cells", s.in(map[string]any{}), 0)
	s.tell("reading one cell", "read_nb_cells", s.at(3), 0)
	s.tell("reading the outline", "read_nb_cells", s.in(map[string]any{"outline": true}), 0)
	has(s.t, "the match", s.tell("searching the notebook", "search", s.in(map[string]any{"query": "import pandas"}), 0), ":import pandas as pd")
	has(s.t, "the value", s.tell("running code without a cell", "run_code", s.in(map[string]any{"code": "len(month)"}), 0), "left no cell", "30")
}

// looks inspects the kernel's variables.
func (s *story) looks() {
	has(s.t, "the list of variables", s.tell("listing the variables", "inspect_data", s.in(map[string]any{}), 0), "trips")
	has(s.t, "the table", s.tell("looking at a table", "inspect_data", s.in(map[string]any{"name": "month"}), 0), "bikes")
	s.tell("looking at a value", "inspect_data", s.in(map[string]any{"name": "busiest"}), 0)
	s.refused("looking at a property", "inspect_data", s.in(map[string]any{"name": "month.columns"}))
	s.refused("changing a text that is not there", "edit_text", s.in(map[string]any{"old_text": "range(99)", "new_text": "range(1)"}))
	s.refused("reading a notebook that is not there", "read_nb_cells", map[string]any{"path": "work/none.ipynb"})
}

// runID finds the id of a run.
var runID = regexp.MustCompile(`run-[\w-]+`)

// waits awaits a long run, ends it, and restarts the kernel.
func (s *story) waits() {
	slow := s.insert(0, true, "import time\nprint('begun', flush=True)\ntime.sleep(600)")
	slow["timeout"] = 1
	id := runID.FindString(s.tell("running a cell that takes long", "insert_nb_cells", slow, 0))
	if id == "" {
		s.t.Fatal("the answer names no run")
	}
	s.tell("listing the runs", "watch_runs", nil, 0)
	s.tell("waiting for a run", "watch_runs", map[string]any{"run_id": id, "wait": 1}, 0)
	s.tell("cancelling a run", "cancel_run", map[string]any{"run_id": id}, 0)
	s.tell("looking at a run that has ended", "watch_runs", map[string]any{"run_id": id}, 0)
	s.tell("restarting the kernel without running cells", "restart_nb_kernel", s.in(map[string]any{"exec": false}), mostDone)
	s.tell("deleting the cell that takes long", "delete_nb_cells", s.at(0), mostDeleted)
	s.tell("restarting the kernel and running all cells", "restart_nb_kernel", s.in(map[string]any{}), 0)
}

// further writes a document, and finds a tool that is not listed.
func (s *story) further() {
	notes := strings.TrimSuffix(s.path, "bikes.ipynb") + "notes.md"
	s.tell("creating a document", "create_document", map[string]any{"path": notes, "type": "markdown", "content": "# Notes\n\nRain keeps people at home.\n"}, mostDone)
	s.tell("reading a document", "read_nb_cells", map[string]any{"path": notes}, 0)
	s.tell("changing a document", "edit_text", map[string]any{"path": notes, "old_text": "people", "new_text": "many people"}, mostDone)
	has(s.t, "what was found", s.tell("finding a tool", "find_tools", map[string]any{"query": "which kernels are there"}, 0), "list_available_kernels")
	s.tell("calling the tool", "call_tool", map[string]any{"name": "list_available_kernels"}, 0)
}
