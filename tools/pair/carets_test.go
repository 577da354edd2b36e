package pair_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Each answer of a tool that touched a cell with a person in it says so in one line.
func TestCaretLine(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		d := newDuo(t, "a", "b", "c", "d")
		d.Read(d.path)
		ada := d.enters("ada", "Ada")
		ada.selects("c1", 0, 0)
		ada.types("c1", "!")
		time.Sleep(2 * time.Second)
		one := []dict{{"id": "c1"}}
		const line = "Ada is in 1 c1, typed 2 s ago"
		says := d.says("read_nb_cells", nil)
		holds(t, says, "\n@@ "+line)
		if strings.Count(says, "Ada") != 1 {
			t.Errorf("said more than once: %s", says)
		}
		quiet := func(text string) {
			t.Helper()
			if strings.Contains(text, "Ada") {
				t.Errorf("it is another cell: %s", text)
			}
		}
		quiet(d.says("read_nb_cells", dict{"ranges": []dict{{"id": "c2"}}}))
		quiet(d.says("insert_nb_cells", dict{"after_id": "c1", "cells": []dict{{"content": "new"}}, "exec": false}))
		holds(t, d.says("edit_text", dict{"cell_id": "c1", "old_text": "b", "new_text": "bb", "force": true}), "Ada is in 1 c1")
		holds(t, d.says("edit_text", dict{"old_text": "bb!", "new_text": "b", "force": true}), "Ada is in 1 c1")
		holds(t, d.says("modify_nb_cells", dict{"modifications": []dict{{"range": one[0], "content": "7"}}, "exec": false, "force": true}), "Ada is in 1 c1")
		var ran notebook.ExecuteResult
		res := d.Good("execute_nb_cells", d.in(dict{"ranges": one, "force": true}), &ran)
		holds(t, toolstest.MessageOf(res), `"carets":["Ada is in 1 c1, typed`)
		holds(t, toolstest.MessageOf(d.Good("get_run", dict{"run_id": ran.Results[0].RunID}, nil)), `"carets":["Ada is in 1 c1`)
		holds(t, toolstest.MessageOf(d.Good("watch_runs", dict{"run_id": ran.Results[0].RunID}, nil)), `"carets":["Ada is in 1 c1`)
		quiet(toolstest.MessageOf(d.Good("watch_runs", nil, nil)))
		quiet(toolstest.MessageOf(d.Good("get_nb_stat", d.in(nil), nil))[:20])
		read := d.Call("read_cell", dict{"notebook_name": d.path, "cell_id": "c1", "include_outputs": false})
		last, _ := read.Content[len(read.Content)-1].(mcp.TextContent)
		holds(t, last.Text, "[NOTE] Ada is in 1 c1")
		time.Sleep(10 * time.Second)
		holds(t, d.says("move_nb_cells", dict{"ranges": one, "position": 0}), "Ada is in 0 c1")
		ada.selects("c1", 0, 0)
		time.Sleep(10 * time.Second)
		d.Read(d.path)
		holds(t, d.says("delete_nb_cells", dict{"ranges": one, "force": true}), "Ada was in c1")
	})
}
