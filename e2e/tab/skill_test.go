package tab_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// follower does what the skill says and uses only information from answers.
type follower struct {
	t     *testing.T
	agent *agent.Agent
	path  string
}

// call calls a tool for the notebook and fails on an answer of the other kind.
func (f follower) call(refused bool, tool string, args map[string]any) string {
	f.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	if _, named := args["path"]; !named && !slices.Contains([]string{"list_nbs", "watch_runs", "cancel_run", "list_runs", "find_tools", "call_tool"}, tool) {
		args["path"] = f.path
	}
	answer, err := f.agent.Call(f.t.Context(), tool, args)
	must.NoError(f.t, err)
	if answer.IsError != refused {
		f.t.Fatalf("%s %v (refused: %v) answers:\n%s", tool, args, answer.IsError, answer.Text)
	}
	return answer.Text
}

func (f follower) do(tool string, args map[string]any) string {
	f.t.Helper()
	return f.call(false, tool, args)
}

// says returns the last group of an expression's match.
func (f follower) says(text, expression string) string {
	f.t.Helper()
	found := regexp.MustCompile(expression).FindStringSubmatch(text)
	if found == nil {
		f.t.Fatalf("%q is not in:\n%s", expression, text)
	}
	return found[len(found)-1]
}

// The skill is followed to the letter, beside a person with the notebook open, and each sentence turns out to be true.
func TestSkillFollowed(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("price = 10"), kit.Code("total = price * 3"))
	tab := open(t, path)
	f := follower{t, kit.StartAgentAs(t, agent.Options{Words: true}), path}
	// inFile waits until the file, and so the room, has a text; types lets the person type at the end of a cell's line.
	inFile := func(cell int, text string) {
		t.Helper()
		must.NoError(t, poll.Until(ctx, "what was typed", func(context.Context) error {
			cells, err := kit.OnDisk(t, path)
			if err == nil && !strings.Contains(string(cells[cell].Source), text) {
				err = fmt.Errorf("%q", cells[cell].Source)
			}
			return err
		}))
	}
	types := func(cell int, text string) {
		t.Helper()
		must.NoError(t, tab.Select(ctx, cell, 0, 0))
		must.NoError(t, tab.Press(ctx, kb.End))
		must.NoError(t, tab.Type(ctx, text))
		inFile(cell, text)
	}
	must.NoError(t, tab.Select(ctx, 0, 0, 0))

	// Begin: "Not known yet" is not "nobody".
	var around string
	must.NoError(t, poll.Until(ctx, "who is there", func(context.Context) error {
		if around = f.do("look_around", nil); strings.Contains(around, "are known in") {
			return errors.New(around)
		}
		return nil
	}))
	f.says(around, `(?m)^@@0 cell-0 .*line 1`)
	if found := f.do("list_nbs", nil); !strings.Contains(found, path) {
		t.Errorf("list_nbs does not find it: %s", found)
	}
	revision := f.says(f.do("read_nb_cells", nil), `^.*, revision (\w+)\n`)
	theirs := f.do("read_nb_cells", map[string]any{"ranges": one("theirs")})
	test.StrContains(t, theirs, "price = 10")
	test.StrNotContains(t, theirs, "total")

	// Write
	tax := f.says(f.do("insert_nb_cells", map[string]any{"after_id": "cell-0", "cells": cellsOf("tax = 1.2\ntax"), "reason": "prices with tax"}), `(?m)^@@1 (\w+) .*\n@@ out\n1\.2$`)
	f.do("edit_text", map[string]any{"old_text": "price * 3", "new_text": "price * tax", "reason": "with tax"})
	tab.shows("what the agent wrote", "price = 10", "tax = 1.2\ntax", "total = price * tax")

	// Run
	f.says(f.do("inspect_data", nil), `(?m)^tax\b.*1\.2`)
	long := f.do("insert_nb_cells", map[string]any{"after_id": "cell-1", "cells": cellsOf("import time\nprint('begins')\ntime.sleep(2)\nprint('ends')"), "timeout": 1})
	slow := f.says(long, `(?m)^@@\d+ (\w+) \[\d*\] running, (run-\d+)`)
	f.says(f.do("watch_runs", map[string]any{"run_id": slow, "wait": 20}), `(?s)took.*ends`)
	endless := f.says(f.do("insert_nb_cells", map[string]any{"after_id": "cell-1", "cells": cellsOf("time.sleep(600)"), "timeout": 1}), `running, (run-\d+)`)
	f.says(f.do("cancel_run", map[string]any{"run_id": endless}), "interrupted|cancelled")

	// When a call is refused: a cell that a person has edited is shown with its revision, which the next call gives.
	types(2, "  # mine")
	gone := f.call(true, "delete_nb_cells", map[string]any{"ranges": one("cell-1"), "wait": 30})
	f.says(gone, "# mine")
	read := map[string]any{"id": "cell-1", "revision": f.says(gone, `revision "?(\w+)`)}
	f.do("delete_nb_cells", map[string]any{"ranges": []any{read}, "wait": 30})
	// Both changed the same words: read again, and change the present text.
	must.NoError(t, tab.Select(ctx, 0, 8, 10))
	must.NoError(t, tab.Type(ctx, "33"))
	inFile(0, "price = 33")
	f.says(f.call(true, "modify_nb_cells", change("cell-0", "price = 20")), "(?s)33.*20|20.*33")
	f.call(true, "modify_nb_cells", change("cell-0", "price = 20"))
	f.says(f.do("read_nb_cells", map[string]any{"ranges": one("cell-0")}), "price = 33")
	f.do("modify_nb_cells", change("cell-0", "price = 33  # as you say"))
	// A deleted cell.
	f.call(true, "edit_text", map[string]any{"old_text": "price * tax", "new_text": "1"})

	// Return, and undo.
	f.says(f.do("changes_since", map[string]any{"revision": revision}), "33")
	f.do("undo_agent", nil)
	tab.shows("the cell after the undo", "price = 33", "tax = 1.2\ntax", "time.sleep(600)", "import time\nprint('begins')\ntime.sleep(2)\nprint('ends')")

	// Tools that are not listed.
	f.says(f.do("find_tools", map[string]any{"query": "wait until somebody has changed something"}), "wait_for_change")
	f.says(f.do("call_tool", map[string]any{"name": "list_agent_edits", "arguments": fmt.Sprintf(`{"path": %q}`, path)}), "prices with tax")

	// End
	f.do("delete_nb_cells", map[string]any{"ranges": one(tax)})
}

// cellsOf returns cells to insert.
func cellsOf(sources ...string) []map[string]any {
	return kit.Insert("", 0, false, sources...)["cells"].([]map[string]any)
}

// one returns a range of one cell.
func one(id string) []map[string]any { return []map[string]any{{"id": id}} }

// change returns a modification of one cell.
func change(id, source string) map[string]any {
	return map[string]any{"modifications": []map[string]any{{"range": map[string]any{"id": id}, "content": source}}, "exec": false, "wait": 30}
}
