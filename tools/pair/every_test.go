package pair_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// asked is a client of the tools that has read the notebook of the cells c0 to c3, each "x = 1", opened it as the current
// one, connected an analysis session to it, run all of it, and changed c1 and c2 in one call.
type asked struct {
	d    *duo
	c    *client.Client
	fill map[string]any // values for the placeholders in the arguments of a table
	body string         // the structured content of the last answer
}

// anID is the id of a run or session.
var anID = regexp.MustCompile(`\b(run-?[0-9]\w*|[a-z2-7]{12})\b`)

func (d *duo) asked(c *client.Client) *asked {
	d.t.Helper()
	a := &asked{d: d, c: c, fill: dict{"$path": d.path}}
	a.good("read_nb_cells", d.in(nil))
	var all notebook.ReadResult
	d.Good("read_nb_cells", d.in(nil), &all)
	a.fill["$revision"] = all.Revision
	a.good("use_notebook", dict{"notebook_name": d.path, "notebook_path": d.path})
	for cell, name := range map[int]string{1: "$run of c1", 2: "$run of c2"} {
		a.good("execute_nb_cells", d.in(dict{"ranges": []dict{{"start": cell}}}))
		a.fill[name] = anID.FindString(a.good("list_runs", d.in(dict{"limit": 1})))
	}
	a.fill["$session"] = anID.FindString(a.good("session_connect", dict{"notebook_path": d.path}))
	a.good("modify_nb_cells", d.in(dict{"exec": false, "modifications": []dict{{"range": dict{"id": "c1"}, "content": "x = 2"}, {"range": dict{"id": "c2"}, "content": "y = 2"}}}))
	return a
}

// leave releases the limited resources of a client.
func (a *asked) leave() {
	a.d.t.Helper()
	a.good("session_delete", dict{"session_id": "$session"})
	a.good("unuse_notebook", dict{"notebook_name": a.d.path})
}

// call calls a tool, and returns all texts of its answer.
func (a *asked) call(name string, args dict) (text string, refused bool) {
	a.d.t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, a.filled(args)
	res, err := a.c.CallTool(a.d.t.Context(), req)
	if err != nil {
		a.d.t.Fatal(err)
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		a.d.t.Fatal(err)
	}
	a.body = string(b)
	var texts []string
	for _, c := range res.Content {
		if text, ok := c.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n"), res.IsError
}

func (a *asked) good(name string, args dict) string {
	a.d.t.Helper()
	text, refused := a.call(name, args)
	if refused {
		a.d.t.Fatalf("%s %v: %s", name, args, text)
	}
	return text
}

// filled replaces the placeholders in arguments.
func (a *asked) filled(v any) any {
	switch v := v.(type) {
	case dict:
		out := dict{}
		for k, one := range v {
			out[k] = a.filled(one)
		}
		return out
	case []dict:
		var out []any
		for _, one := range v {
			out = append(out, a.filled(one))
		}
		return out
	case string:
		if full, ok := a.fill[v]; ok {
			return full
		}
	}
	return v
}

// byID are calls that name a cell by an id, under the tool and the argument. For calls that do not touch that cell, beside
// is the source of the cell that is beside it afterwards.
var byID = map[string]struct {
	args   dict
	beside string
}{
	"clear_cell_output .cell_id":                {args: dict{"notebook_name": "$path", "cell_id": "theirs"}},
	"delete_cell .cell_ids_to_delete":           {args: dict{"notebook_name": "$path", "cell_ids_to_delete": []string{"theirs"}, "force": true}},
	"delete_nb_cells .ranges[].id":              {args: dict{"path": "$path", "ranges": []dict{{"id": "theirs"}}, "force": true}},
	"edit_cell_source .cell_id":                 {args: dict{"notebook_name": "$path", "cell_id": "theirs", "old_string": "2", "new_string": "3"}},
	"edit_text .cell_id":                        {args: dict{"path": "$path", "cell_id": "theirs", "old_text": "2", "new_text": "3"}},
	"edit_text .range.id":                       {args: dict{"path": "$path", "range": dict{"id": "theirs"}, "old_text": "2", "new_text": "3"}},
	"execute_cell .cell_id":                     {args: dict{"session_id": "$session", "cell_id": "theirs"}},
	"execute_nb_cells .ranges[].id":             {args: dict{"path": "$path", "ranges": []dict{{"id": "theirs"}}}},
	"insert_nb_cells .after_id":                 {args: dict{"path": "$path", "after_id": "theirs", "cells": []dict{{"content": "new"}}, "exec": false}, beside: "new"},
	"modify_nb_cells .modifications[].range.id": {args: dict{"path": "$path", "modifications": []dict{{"range": dict{"id": "theirs"}, "content": "x = 3"}}, "exec": false}},
	"move_cell .source_cell_id":                 {args: dict{"notebook_name": "$path", "source_cell_id": "theirs", "target_index": 0}},
	"move_cell .target_cell_id":                 {args: dict{"notebook_name": "$path", "source_cell_id": "c4", "target_cell_id": "theirs"}, beside: "far"},
	"modify_nb_cells .modifications[].after_id": {args: dict{"path": "$path", "modifications": []dict{{"range": dict{"id": "c4"}, "after_id": "theirs"}}}, beside: "far"},
	"move_nb_cells .after_id":                   {args: dict{"path": "$path", "ranges": []dict{{"id": "c4"}}, "after_id": "theirs"}, beside: "far"},
	"move_nb_cells .ranges[].id":                {args: dict{"path": "$path", "ranges": []dict{{"id": "theirs"}}, "position": 0}},
	"notebook_delete_cell .cell_id":             {args: dict{"session_id": "$session", "notebook_name": "$path", "cell_id": "theirs", "force": true}},
	"notebook_edit_cell .cell_id":               {args: dict{"session_id": "$session", "cell_id": "theirs", "source": "x = 3"}},
	"notebook_move_cell .cell_id":               {args: dict{"session_id": "$session", "notebook_name": "$path", "cell_id": "theirs", "position": 0}},
	"overwrite_cell_source .cell_id":            {args: dict{"notebook_name": "$path", "cell_id": "theirs", "cell_source": "x = 3"}},
	"read_cell .cell_id":                        {args: dict{"notebook_name": "$path", "cell_id": "theirs"}},
	"read_nb_cells .ranges[].id":                {args: dict{"path": "$path", "ranges": []dict{{"id": "theirs"}}}},
	"wait_for_change .cell":                     {args: dict{"path": "$path", "since": "$revision", "cell": "theirs", "timeout": 0}},
	"execute_cell .cell_id without a session":   {args: dict{"cell_id": "theirs"}},
	"delete_nb_cells .ranges[].id of outputs":   {args: dict{"path": "$path", "ranges": []dict{{"id": "theirs"}}, "what": "outputs"}},
}

// "theirs" is accepted in place of any id, with one person and with two, and the answer says who is in the cell.
func TestTheirsEverywhere(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t)
		for name, call := range byID {
			d.path = d.Server.Notebook(t, "x = 1", "x = 1", "x = 1", "x = 1", "far")
			full, words := d.asked(d.Client), d.asked(d.words)
			tool, _, _ := strings.Cut(name, " ")
			ada := d.enters("ada", "Ada")
			ada.selects("c1", 0, 0)
			d.known(ada)
			// lands checks that an answer names a person in the cell, or that the new cell is beside it.
			lands := func(text, who, cell string) {
				t.Helper()
				if call.beside == "" {
					if !regexp.MustCompile(who + ` (is|was) in (\d )?` + cell).MatchString(text) {
						t.Errorf("%s: %s is in %s, which is not said: %s", name, who, cell, text)
					}
					return
				}
				_, cells := d.Room(d.path)
				at := slices.IndexFunc(cells, func(c ydoc.Cell) bool { return c.ID == cell })
				if cells[at+1].Source != call.beside && (tool != "move_cell" || cells[at-1].Source != call.beside) {
					t.Errorf("%s: not beside %s: %+v", name, cell, cells)
				}
			}
			lands(full.good(tool, call.args), "Ada", "c1")
			bob := d.enters("bob", "Bob")
			bob.selects("c2", 0, 0)
			for _, a := range []*asked{full, words} {
				text, refused := a.call(tool, call.args)
				test.True(t, refused, test.Sprint(name))
				test.StrContains(t, text, "several people", test.Sprint(name))
			}
			lands(words.good(tool, toolstest.With(call.args, "person", "bo")), "Bob", "c2")
			full.leave()
			words.leave()
		}
	})
}

// byOther are calls that touch c1 without naming it by an id: first the preparing calls, then the call.
var byOther = []struct {
	tool   string
	args   dict
	before []dict
}{
	{tool: "answer_input", args: dict{"run_id": "$run of c1", "text": "7"}, before: asking},
	{tool: "cancel_run", args: dict{"run_id": "$run of c1"}, before: asking},
	{tool: "changes_since", args: dict{"path": "$path", "revision": "$revision", "own": true}},
	{tool: "clear_cell_output", args: dict{"cell_index": 1}},
	{tool: "delete_cell", args: dict{"cell_indices": []int{1}, "force": true}},
	{tool: "delete_nb_cells", args: dict{"path": "$path", "ranges": []dict{{"start": 1}}, "force": true}},
	{tool: "edit_cell_source", args: dict{"cell_index": 1, "old_string": "2", "new_string": "3"}},
	{tool: "edit_text", args: dict{"path": "$path", "old_text": "x = 2", "new_text": "x = 3"}},
	{tool: "search", args: dict{"path": "$path", "query": "x = 2"}},
	{tool: "execute_cell", args: dict{"cell_index": 1}},
	{tool: "execute_cell", args: dict{"session_id": "$session", "cell_index": 1}},
	{tool: "execute_cell_simple_timeout", args: dict{"cell_index": 1}},
	{tool: "execute_cell_streaming", args: dict{"cell_index": 1}},
	{tool: "execute_cell_with_progress", args: dict{"cell_index": 1}},
	{tool: "execute_nb_cells", args: dict{"path": "$path", "ranges": []dict{{"start": 0, "end": 4}}}},
	{tool: "get_document_content", args: dict{"path": "$path"}},
	{tool: "get_document_info", args: dict{"path": "$path", "include_content": true}},
	{tool: "get_run", args: dict{"run_id": "$run of c1"}},
	{tool: "list_cells", args: dict{}},
	{tool: "modify_nb_cells", args: dict{"path": "$path", "modifications": []dict{{"range": dict{"start": 1}, "content": "x = 3"}}}},
	{tool: "move_cell", args: dict{"source_index": 1, "target_index": 3}},
	{tool: "move_nb_cells", args: dict{"path": "$path", "ranges": []dict{{"start": 1}}, "position": 4}},
	{tool: "notebook_delete_cell", args: dict{"session_id": "$session", "notebook_name": "$path", "cell_index": 1, "force": true}},
	{tool: "notebook_edit_cell", args: dict{"session_id": "$session", "cell_index": 1, "source": "x = 3"}},
	{tool: "notebook_get", args: dict{"session_id": "$session"}},
	{tool: "notebook_move_cell", args: dict{"session_id": "$session", "notebook_name": "$path", "cell_index": 1, "position": 3}},
	{tool: "overwrite_cell_source", args: dict{"cell_index": 1, "cell_source": "x = 3"}},
	{tool: "read_cell", args: dict{"cell_index": 1}},
	{tool: "read_cells", args: dict{}},
	{tool: "read_nb_cells", args: dict{"path": "$path"}},
	{tool: "read_notebook", args: dict{"notebook_name": "$path"}},
	{tool: "redo_agent", args: dict{"path": "$path"}, before: []dict{{"undo_agent": dict{"path": "$path"}}}},
	{tool: "restart_nb_kernel", args: dict{"path": "$path", "clear_outputs": true, "exec": false}},
	{tool: "restart_nb_kernel", args: dict{"path": "$path", "exec": true}},
	{tool: "restore_notebook", args: dict{"path": "$path", "revision": "$revision"}},
	{tool: "undo_agent", args: dict{"path": "$path"}},
	{tool: "use_notebook", args: dict{"notebook_name": "again", "notebook_path": "$path"}},
	{tool: "wait_run", args: dict{"run_id": "$run of c1"}},
	{tool: "watch_runs", args: dict{"run_id": "$run of c1"}},
}

// asking starts a run of c1 that waits for a line.
var asking = []dict{
	{"edit_text": dict{"path": "$path", "cell_id": "c1", "old_text": "x = 2", "new_text": "x = input()"}},
	{"execute_nb_cells": dict{"path": "$path", "ranges": []dict{{"start": 1}}, "timeout": 1}},
}

// Each answer of a tool that touched the cell with a person in it says so, in JSON and in words.
func TestCaretLineEverywhere(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t)
		for _, call := range byOther {
			for _, c := range []*client.Client{d.Client, d.words} {
				d.path = d.Server.Notebook(t, "x = 1", "x = 1", "x = 1", "x = 1")
				a := d.asked(c)
				d.enters("ada", "Ada").selects("c1", 0, 0)
				for _, before := range call.before {
					for tool, args := range before {
						a.good(tool, args.(dict))
						a.fill["$run of c1"] = anID.FindString(a.good("list_runs", d.in(dict{"limit": 1})))
					}
				}
				says := a.good(call.tool, call.args)
				if n := len(aboutAda.FindAllString(says, -1)); n != 1 {
					t.Errorf("%s: said %d times: %s", call.tool, n, says)
				}
				if c == d.Client && !caretsOfAda.MatchString(a.body) {
					t.Errorf("%s: not in the structured content: %s", call.tool, a.body)
				}
				a.leave()
			}
		}
	})
}

var (
	aboutAda    = regexp.MustCompile(`Ada (is|was) in (\d )?c1`)
	caretsOfAda = regexp.MustCompile(`"carets":\["(acted on the current notebook, [^"]*",")?Ada `)
)

// touchesNone are the tools that neither read nor change existing cells, or that already say where people are.
var touchesNone = strings.Fields(`assign_nb_kernel call_tool connect_to_jupyter copy_document create_document delete_document delete_document_text
	end_document_session end_nb_session execute_code execute_ipython file_get file_list file_read find_tools get_base_url get_dataframe_info
	get_image_resource get_nb_stat get_variable get_variables insert_cell insert_document_text insert_execute_code_cell inspect_data
	interrupt_execution list_agent_edits list_available_kernels list_documents list_files list_kernels list_nbs list_notebook list_notebooks
	list_mentions list_runs look_around nb_path_from_url notebook_add_cell notebook_create notebook_from_template notebook_import overwrite_document
	preview_data query_document_session query_nb_sessions record_context rename_document run_code reply replace_document_text restart_notebook
	session_connect session_create session_delete session_list unuse_notebook wait_for_mention`)

// The tables have every tool, and every argument that is a cell's id.
func TestTablesAreWhole(t *testing.T) {
	ids := 0
	isID := regexp.MustCompile(`(^|\.|_)cell_ids?(_to_delete)?$|\.cell$|\.after_id$|\.id$`)
	tried := slices.Clone(touchesNone)
	for _, call := range byOther {
		tried = append(tried, call.tool)
	}
	for name := range byID {
		tool, _, _ := strings.Cut(name, " ")
		tried = append(tried, tool)
	}
	for _, def := range tools.Definitions() {
		if !slices.Contains(tried, def.Name) {
			t.Errorf("%s is in no table", def.Name)
		}
		var schema any
		if err := json.Unmarshal(def.Input.Raw(), &schema); err != nil {
			t.Fatal(err)
		}
		for _, p := range properties(schema, "") {
			_, ok := byID[def.Name+" "+p]
			if ok {
				ids++
			} else if isID.MatchString(p) {
				t.Errorf("%s takes a cell's id as %s, and is not tried", def.Name, p)
			}
		}
	}
	if ids < 20 {
		t.Errorf("%d arguments are ids", ids)
	}
}

// properties returns the paths of a schema's properties.
func properties(schema any, at string) (out []string) {
	s, _ := schema.(dict)
	of, _ := s["properties"].(dict)
	for name, p := range of {
		out = append(out, at+"."+name)
		out = append(out, properties(p, at+"."+name)...)
	}
	if items, ok := s["items"]; ok {
		out = append(out, properties(items, at+"[]")...)
	}
	return out
}
