package pair_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// disturbing are calls that write, run, move or delete c1, or only add cells beside it. ofAnalysis says that errors of the
// tool are JSON.
var disturbing = []struct {
	tool       string
	args       dict
	before     []dict // calls of tools to be made before
	adds       bool
	ofAnalysis bool
}{
	{tool: "clear_cell_output", args: dict{"cell_index": 1}, before: printing},
	{tool: "delete_cell", args: dict{"cell_indices": []int{1}}},
	{tool: "delete_nb_cells", args: dict{"path": "$path", "ranges": []dict{{"start": 1}}}},
	{tool: "delete_nb_cells", args: dict{"path": "$path", "ranges": []dict{{"start": 1}}, "what": "outputs"}, before: printing},
	{tool: "edit_cell_source", args: dict{"cell_index": 1, "old_string": "2", "new_string": "3"}},
	{tool: "edit_text", args: dict{"path": "$path", "old_text": "x = 2", "new_text": "x = 3"}},
	{tool: "execute_cell", args: dict{"cell_index": 1}, ofAnalysis: true},
	{tool: "execute_cell", args: dict{"session_id": "$session", "cell_index": 1}, ofAnalysis: true},
	{tool: "execute_cell_simple_timeout", args: dict{"cell_index": 1}},
	{tool: "execute_cell_streaming", args: dict{"cell_index": 1}},
	{tool: "execute_cell_with_progress", args: dict{"cell_index": 1}},
	{tool: "execute_code", args: dict{"session_id": "$session", "code": "1"}, adds: true, ofAnalysis: true},
	{tool: "execute_nb_cells", args: dict{"path": "$path", "ranges": []dict{{"start": 0, "end": 3}}}},
	{tool: "insert_cell", args: dict{"cell_index": 1, "cell_type": "code", "cell_source": "1"}, adds: true},
	{tool: "insert_execute_code_cell", args: dict{"cell_index": 1, "cell_source": "1"}, adds: true},
	{tool: "insert_nb_cells", args: dict{"path": "$path", "position": 1, "cells": []dict{{"content": "1"}}, "exec": false}, adds: true},
	{tool: "modify_nb_cells", args: dict{"path": "$path", "modifications": []dict{{"range": dict{"start": 0, "end": 3}, "content": "x = 3"}}}},
	{tool: "move_cell", args: dict{"source_index": 1, "target_index": 3}},
	{tool: "move_nb_cells", args: dict{"path": "$path", "ranges": []dict{{"start": 1}}, "position": 4}},
	{tool: "notebook_add_cell", args: dict{"session_id": "$session", "notebook_name": "$path", "cell_type": "code", "source": "1"}, adds: true, ofAnalysis: true},
	{tool: "notebook_delete_cell", args: dict{"session_id": "$session", "notebook_name": "$path", "cell_index": 1}, ofAnalysis: true},
	{tool: "notebook_edit_cell", args: dict{"session_id": "$session", "cell_index": 1, "source": "x = 3"}, ofAnalysis: true},
	{tool: "notebook_move_cell", args: dict{"session_id": "$session", "notebook_name": "$path", "cell_index": 1, "position": 3}, ofAnalysis: true},
	{tool: "overwrite_cell_source", args: dict{"cell_index": 1, "cell_source": "x = 3"}},
	{tool: "overwrite_document", args: dict{"path": "$path", "content": `{"cells": [{"id": "c1", "cell_type": "markdown", "source": "x = 3", "metadata": {}}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`}},
	{tool: "redo_agent", args: dict{"path": "$path"}, before: []dict{{"undo_agent": dict{"path": "$path"}}}},
	{tool: "restart_nb_kernel", args: dict{"path": "$path"}},
	{tool: "restore_notebook", args: dict{"path": "$path", "revision": "$revision"}},
	{tool: "undo_agent", args: dict{"path": "$path"}},
}

// disturbed returns a client that has read the notebook in which Ada has just typed in c1.
func (d *duo) disturbed(before []dict) *asked {
	d.t.Helper()
	a := d.prepared(before)
	ada := d.enters("ada", "Ada")
	ada.shows(nil)
	ada.types("c1", "\n# axis")
	a.good("read_nb_cells", d.in(nil))
	// It does not delete at once a cell that it has read twice with different texts.
	a.call("delete_nb_cells", d.in(dict{"ranges": []dict{{"id": "c1"}}}))
	a.good("read_nb_cells", d.in(nil))
	return a
}

// prepared returns a client with a separate notebook, after some calls.
func (d *duo) prepared(before []dict) *asked {
	d.t.Helper()
	d.path = d.Server.Notebook(d.t, "x = 1", "x = 1", "x = 1", "x = 1")
	a := d.asked(d.words)
	for _, call := range before {
		for tool, args := range call {
			a.good(tool, args.(dict))
		}
	}
	return a
}

// printing gives c1 an output.
var printing = []dict{
	{"edit_text": dict{"path": "$path", "cell_id": "c1", "old_text": "x = 2", "new_text": "print(2)"}},
	{"execute_nb_cells": dict{"path": "$path", "ranges": []dict{{"start": 1}}}},
}

// names checks that a refusal never names wait, and names force exactly if force is set and the tool lists it.
func names(t *testing.T, name, text string, force bool) {
	t.Helper()
	def := tools.Definitions()[slices.IndexFunc(tools.Definitions(), func(d tool.Tool) bool { return d.Name == name })]
	var listed struct{ Properties map[string]any }
	if err := json.Unmarshal(def.Input.Published(), &listed); err != nil {
		t.Fatal(err)
	}
	for _, arg := range []string{"wait", "force"} {
		want := arg == "force" && force && listed.Properties[arg] != nil
		if is := regexp.MustCompile(`\b` + arg + `\b`).MatchString(text); is != want {
			t.Errorf("%s names %s: %t, want %t: %s", name, arg, is, want, text)
		}
	}
}

// Where a person is typing in the cell, each tool does its work once they pause, and changes nothing until then; with wait 0
// it is refused, and with force it works at once.
func TestBusyHumanEverywhere(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t)
		for _, call := range disturbing {
			a := d.disturbed(call.before)
			rev, _ := d.Room(d.path)
			began := time.Now()
			if call.adds {
				a.good(call.tool, call.args)
				a.leave()
				continue
			}
			text, refused := a.call(call.tool, toolstest.With(call.args, "wait", 0))
			names(t, call.tool, text, true)
			holds(t, text, "busy_human", "Ada is typing in cell 1 (id ", "# axis", "last key", "nothing was ")
			now, _ := d.Room(d.path)
			test.True(t, refused, test.Sprint(call.tool, text))
			test.Eq(t, rev, now, test.Sprint(call.tool, text))
			if coded := strings.HasPrefix(text, `{"error":"busy_human"`); coded != call.ofAnalysis {
				t.Errorf("%s: %s", call.tool, text)
			}
			a.good(call.tool, call.args)
			now, _ = d.Room(d.path)
			test.NotEq(t, rev, now, test.Sprint(call.tool))
			test.GreaterEq(t, 4*time.Second, time.Since(began), test.Sprint(call.tool))
			a.leave()

			a = d.disturbed(call.before)
			rev, _ = d.Room(d.path)
			a.good(call.tool, toolstest.With(call.args, "force", true))
			if now, _ := d.Room(d.path); now == rev {
				t.Errorf("%s: nothing was done by force", call.tool)
			}
			a.leave()
		}
	})
}

// A call waits until a person who types in one of ten cells pauses, but no longer than --answer-within, and writes nothing
// until then; it also does so if awareness has not named the person. A forced call right after a refusal keeps all keys.
func TestBusyHumanInTime(t *testing.T) {
	for _, who := range []string{"Ada", "a person"} {
		t.Run(who, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				d := newDuo(t, slices.Repeat([]string{"x = 1"}, 10)...)
				d.agent(tools.Config{AnswerWithin: 10 * time.Second})
				a := d.asked(d.words)
				ada := d.enters("ada", "Ada")
				if who == "Ada" {
					ada.shows(nil)
				}
				keys := 0
				sources := func(new string) []string {
					all := slices.Repeat([]string{new}, 10)
					all[1] += "\n" + strings.Repeat("#", keys)
					return all
				}
				is := func(want []string) {
					t.Helper()
					_, cells := d.Room(d.path)
					for i, c := range cells {
						if c.Source != want[i] {
							t.Errorf("cell %d is %q, want %q", i, c.Source, want[i])
						}
					}
				}
				types := func(n int) *sync.WaitGroup {
					ada.types("c1", "#")
					keys += n
					var wg sync.WaitGroup
					wg.Go(func() {
						for range n - 1 {
							ada.types("c1", "#")
						}
					})
					return &wg
				}
				set := func(new string) dict {
					return dict{"path": "$path", "modifications": []dict{{"range": dict{"start": 0, "end": 10}, "content": new}}, "exec": false}
				}
				a.good("modify_nb_cells", set("x = 2"))
				ada.types("c1", "\n")
				time.Sleep(editguard.Quiet)

				began, typing := time.Now(), types(75)
				text, refused := a.call("modify_nb_cells", set("x = 3"))
				holds(t, text, "busy_human", who+" is typing in cell 1", "did not pause within 10s", "nothing was written", "force true")
				took := time.Since(began).Round(time.Second)
				test.True(t, refused, test.Sprint(text))
				test.Eq(t, 10*time.Second, took, test.Sprint(text))
				_, cells := d.Room(d.path)
				test.Eq(t, "x = 2", cells[0].Source, test.Sprint("written in part"))
				test.Eq(t, "x = 2", cells[9].Source, test.Sprint("written in part"))
				a.good("modify_nb_cells", toolstest.With(set("x = 3"), "force", true))
				typing.Wait()
				settle()
				is(sources("x = 3"))

				began, typing = time.Now(), types(20)
				a.good("edit_text", dict{"path": "$path", "cell_id": "c1", "old_text": "x = 3", "new_text": "x = 4"})
				if took := time.Since(began).Round(time.Second); took != 9*time.Second {
					t.Errorf("20 keys and a pause took %v", took)
				}
				typing.Wait()
				want := sources("x = 3")
				want[1] = strings.Replace(want[1], "3", "4", 1)
				is(want)
			})
		})
	}
}

// Every tool respects "hands off", even if it was said to another process, despite wait and force.
func TestHandsOffEverywhere(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		d := newDuo(t)
		other := sessiontest.Manager(t, d.Server, session.Config{})
		for _, call := range disturbing {
			a := d.prepared(call.before)
			theirs := sessiontest.Open(t, other, d.path)
			ada, cell := editguard.Who{Name: "Ada", Username: "ada"}, "c1"
			if call.adds {
				cell = ""
			}
			if err := editguard.HandsOff(t.Context(), theirs, cell, ada); err != nil {
				t.Fatal(err)
			}
			settle()
			rev, _ := d.Room(d.path)
			text, refused := a.call(call.tool, toolstest.With(toolstest.With(call.args, "force", true), "wait", 5))
			holds(t, text, "hands_off", "Ada said hands off ", "until Ada says go on")
			names(t, call.tool, text, false)
			now, _ := d.Room(d.path)
			test.True(t, refused, test.Sprint(call.tool, text))
			test.Eq(t, rev, now, test.Sprint(call.tool, text))
			if coded := strings.HasPrefix(text, `{"error":"hands_off"`); coded != call.ofAnalysis {
				t.Errorf("%s: %s", call.tool, text)
			}
			still, err := editguard.GoOn(t.Context(), theirs, "c1", ada, nil)
			must.NoError(t, err)
			must.Nil(t, still)
			settle()
			a.good(call.tool, toolstest.With(call.args, "force", true))
			a.leave()
		}
	})
}

// unmannered are the tools that change something, but no existing cell: files, kernels, sessions and texts.
var unmannered = strings.Fields(`answer_input assign_nb_kernel call_tool cancel_run copy_document create_document delete_document
	delete_document_text end_document_session end_nb_session execute_ipython insert_document_text interrupt_execution notebook_create
	notebook_from_template notebook_import record_context rename_document replace_document_text restart_notebook run_code session_create
	session_delete unuse_notebook use_notebook`)

// Each tool that changes cells is tried above, and takes wait and force; other tools take at most their own force.
func TestDisturbingIsWhole(t *testing.T) {
	for _, def := range tools.Definitions() {
		if def.Name == "reply" { // it only adds a cell, and is tried by TestHandsOffSaid
			continue
		}
		tried := false
		for _, call := range disturbing {
			tried = tried || call.tool == def.Name
		}
		if changes := !def.Hints.ReadOnly && !slices.Contains(unmannered, def.Name); changes != tried {
			t.Errorf("%s changes cells: %t; it is tried: %t", def.Name, changes, tried)
		}
		if takes := def.Input.Takes("wait") && def.Input.Takes("force"); takes != tried {
			t.Errorf("%s takes wait and force: %t; it is tried: %t", def.Name, takes, tried)
		}
		if tried && strings.Contains(string(def.Input.Published()), `"wait"`) {
			t.Errorf("%s lists wait", def.Name)
		}
	}
}
