package pair_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// asked is a client of the tools that has read the notebook of the cells c0 to c3, each "x = 1", opened it as the current
// one, connected an analysis session to it, run all of it, and changed c1 and c2 in one call.
type asked struct {
	d    *duo
	c    *client.Client
	fill map[string]any // what stands for itself in the arguments of a table
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
	a.good("modify_nb_cells", d.in(dict{"exec": false, "modifications": []dict{{"range": dict{"id": "c1"}, "content": "x = 2"}, {"range": dict{"id": "c2"}, "content": "x = 2"}}}))
	return a
}

// call calls a tool, and returns all texts of its answer.
func (a *asked) call(name string, args dict) (text string, refused bool) {
	a.d.t.Helper()
	res := a.d.CallAs(a.c, name, a.filled(args).(dict))
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

// filled puts what stands for itself into arguments.
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

// byID are calls that name a cell by an id, under the tool and the argument. One that does not touch the cell says what it
// makes of it.
var byID = map[string]struct {
	args   dict
	beside string
}{
	"clear_cell_output .cell_id":                {args: dict{"notebook_name": "$path", "cell_id": "theirs"}},
	"delete_cell .cell_ids_to_delete":           {args: dict{"notebook_name": "$path", "cell_ids_to_delete": []string{"theirs"}, "force": true}},
	"delete_nb_cells .ranges[].id":              {args: dict{"path": "$path", "ranges": []dict{{"id": "theirs"}}, "force": true}},
	"edit_cell_source .cell_id":                 {args: dict{"notebook_name": "$path", "cell_id": "theirs", "old_string": "2", "new_string": "3"}},
	"edit_text .cell_id":                        {args: dict{"path": "$path", "cell_id": "theirs", "old_text": "2", "new_text": "3"}},
	"execute_cell .cell_id":                     {args: dict{"session_id": "$session", "cell_id": "theirs"}},
	"execute_nb_cells .ranges[].id":             {args: dict{"path": "$path", "ranges": []dict{{"id": "theirs"}}}},
	"insert_nb_cells .after_id":                 {args: dict{"path": "$path", "after_id": "theirs", "cells": []dict{{"content": "new"}}, "exec": false}, beside: "new"},
	"modify_nb_cells .modifications[].range.id": {args: dict{"path": "$path", "modifications": []dict{{"range": dict{"id": "theirs"}, "content": "x = 3"}}, "exec": false}},
	"move_cell .source_cell_id":                 {args: dict{"notebook_name": "$path", "source_cell_id": "theirs", "target_index": 0}},
	"move_cell .target_cell_id":                 {args: dict{"notebook_name": "$path", "source_cell_id": "c3", "target_cell_id": "theirs"}, beside: "x = 1"},
	"move_nb_cells .after_id":                   {args: dict{"path": "$path", "ranges": []dict{{"id": "c3"}}, "after_id": "theirs"}, beside: "x = 1"},
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

// "theirs" is taken wherever an id is, with one person and with two, and the answer says who is in the cell.
func TestTheirsEverywhere(t *testing.T) {
	for name, call := range byID {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, "x = 1", "x = 1", "x = 1", "x = 1")
				full, words := d.asked(d.Client), d.asked(d.words)
				tool, _, _ := strings.Cut(name, " ")
				ada := d.enters("ada", "Ada")
				ada.selects("c1", 0, 0)
				d.known(ada)
				// lands holds an answer against the cell in which somebody is, or against the notebook.
				lands := func(text, who, cell string) {
					t.Helper()
					if call.beside == "" {
						if !regexp.MustCompile(who + ` (is|was) in (\d )?` + cell).MatchString(text) {
							t.Errorf("%s is in %s, which is not said: %s", who, cell, text)
						}
						return
					}
					_, cells := d.Room(d.path)
					at := slices.IndexFunc(cells, func(c ydoc.Cell) bool { return c.ID == cell })
					if cells[at+1].Source != call.beside && cells[max(0, at-1)].Source != call.beside {
						t.Errorf("not beside %s: %+v", cell, cells)
					}
				}
				lands(full.good(tool, call.args), "Ada", "c1")
				bob := d.enters("bob", "Bob")
				bob.selects("c2", 0, 0)
				for _, a := range []*asked{full, words} {
					if text, refused := a.call(tool, call.args); !refused || !strings.Contains(text, "several people") {
						t.Errorf("with two people: %s", text)
					}
				}
				lands(words.good(tool, toolstest.With(call.args, "person", "bo")), "Bob", "c2")
			})
		})
	}
}

// The table has every argument of every tool that is a cell's id.
func TestTheirsTableIsWhole(t *testing.T) {
	isID := regexp.MustCompile(`(^|\.|_)cell_ids?(_to_delete)?$|\.cell$|\.after_id$|\.id$`)
	files, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var def struct {
			InputSchema any `json:"inputSchema"`
		}
		if err := json.Unmarshal(b, &def); err != nil {
			t.Fatal(err)
		}
		tool := strings.TrimSuffix(filepath.Base(f), ".json")
		for _, p := range properties(def.InputSchema, "") {
			if _, ok := byID[tool+" "+p]; !ok && isID.MatchString(p) {
				t.Errorf("%s takes a cell's id as %s, and is not tried", tool, p)
			}
		}
	}
}

// properties are the paths of a schema's properties.
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
