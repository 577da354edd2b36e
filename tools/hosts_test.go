package tools_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/hosts"
)

// drawing returns code that draws an image and prints a word, which the code itself does not contain.
func drawing(word string) string {
	return fmt.Sprintf("display({'image/png': '%s'}, raw=True)\nprint('%s' + '%s')", onePixel, word[:2], word[2:])
}

// A hosted is a model that calls tools from a host.
type hosted struct {
	*toolstest.Rig
	chat    *hosts.Chat
	client  *client.Client
	path    string // of a notebook
	text    string // of a text document
	picture string // of an image file
	fresh   string // of a document that does not exist yet
}

// newHosted makes a hosted with a notebook.
func newHosted(t *testing.T, h hosts.Host, outputs tools.OutputSchemas) *hosted {
	t.Helper()
	r := toolstest.New(t)
	m := &hosted{Rig: r, chat: h.Chat(), client: r.Connect(tools.Config{Work: r.Work, Activity: r.Record, OutputSchemas: outputs})}
	t.Cleanup(func() {
		if err := m.client.Close(); err != nil {
			t.Error(err)
		}
	})
	m.path = r.Server.Notebook(t, drawing("firstword"), "# sourceword", "import time\ntime.sleep(500)", "q = 1")
	m.text = r.Server.Write(t, r.Server.Name(t, ".md"), "docword\n")
	m.fresh = r.Server.Name(t, ".markdown")
	png, err := base64.StdEncoding.DecodeString(onePixel)
	if err != nil {
		t.Fatal(err)
	}
	m.picture = r.Server.Write(t, r.Server.Name(t, ".png"), string(png))
	return m
}

// turn calls a tool, and returns the model's input in this turn and in the next.
func (m *hosted) turn(name string, args toolstest.Dict) (now, next hosts.Seen) {
	m.T.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	res, err := m.client.CallTool(m.T.Context(), req)
	if err != nil {
		m.T.Fatalf("%s: %v", name, err)
	}
	if res.IsError {
		m.T.Fatalf("%s: %s", name, toolstest.MessageOf(res))
	}
	return m.chat.Turn(res), m.chat.Turn(nil)
}

// A coreCall is a call of a tool of the set "core".
type coreCall struct {
	tool string
	args func(m *hosted) toolstest.Dict
	// says is a text that the answer contains once.
	says func(m *hosted) string
	// pictures is the number of images beside it.
	pictures int
}

func saying(text string) func(*hosted) string { return func(*hosted) string { return text } }
func atCell(n int) []toolstest.Dict           { return []toolstest.Dict{{"start": n}} }
func newCell(source string) []toolstest.Dict  { return []toolstest.Dict{{"content": source}} }
func onNotebook(more toolstest.Dict) func(*hosted) toolstest.Dict {
	return func(m *hosted) toolstest.Dict { return toolstest.With(more, "path", m.path) }
}

// coreCalls are calls of all tools of the set "core", in an order that satisfies their preconditions.
var coreCalls = []coreCall{
	{"list_nbs", func(*hosted) toolstest.Dict { return toolstest.Dict{} }, func(m *hosted) string { return m.path }, 0},
	{"read_nb_cells", onNotebook(toolstest.Dict{}), saying("sourceword"), 0},
	{"changes_since", onNotebook(toolstest.Dict{"revision": "-0"}), saying("the changes since revision"), 0},
	{"execute_nb_cells", onNotebook(toolstest.Dict{"ranges": atCell(0)}), saying("firstword"), 1},
	{"read_nb_cells", onNotebook(toolstest.Dict{}), saying("sent before; inspect_data shows it again: jupyter://"), 0},
	{"read_nb_cells", onNotebook(toolstest.Dict{"ranges": atCell(0)}), saying("firstword"), 1},
	{"watch_runs", func(*hosted) toolstest.Dict { return toolstest.Dict{} }, saying("run-1,"), 0},
	{"watch_runs", func(*hosted) toolstest.Dict { return toolstest.Dict{"run_id": "run-1"} }, saying("firstword"), 0},
	{"watch_runs", func(*hosted) toolstest.Dict { return toolstest.Dict{"run_id": "run-1", "output": 1} }, saying("firstword"), 0},
	{"execute_nb_cells", onNotebook(toolstest.Dict{"ranges": atCell(2), "timeout": 1}), saying("@@2 c2 [2] running, run-2"), 0},
	{"cancel_run", func(*hosted) toolstest.Dict { return toolstest.Dict{"run_id": "run-2"} }, saying("interrupted"), 0},
	{"insert_nb_cells", onNotebook(toolstest.Dict{"position": 1, "cells": newCell(drawing("otherword"))}), saying("otherword"), 1},
	{"modify_nb_cells", onNotebook(toolstest.Dict{"modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 1}, "content": drawing("changedword")}}}), saying("changedword"), 0},
	{"edit_text", onNotebook(toolstest.Dict{"old_text": "q = 1", "new_text": "q = 2"}), saying("replaced 1 in 4 c3"), 0},
	{"modify_nb_cells", onNotebook(toolstest.Dict{"modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 4}, "position": 0}}}), saying("moved 0 c3"), 0},
	{"run_code", onNotebook(toolstest.Dict{"code": "print('bareword')"}), saying("bareword"), 0},
	{"delete_nb_cells", onNotebook(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c2"}}}), saying("deleted 4 c2"), 0},
	{"delete_nb_cells", onNotebook(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c1"}}}), saying("deleted 3 c1"), 0},
	{"undo_agent", onNotebook(toolstest.Dict{}), saying("-6 delete_nb_cells"), 0},
	{"restart_nb_kernel", onNotebook(toolstest.Dict{}), saying("changedword"), 0},
	{"read_nb_cells", func(m *hosted) toolstest.Dict { return toolstest.Dict{"path": m.text} }, saying("docword"), 0},
	{"search", onNotebook(toolstest.Dict{"query": "q = 2"}), saying("1 match in 1 notebook"), 0},
	{"create_document", func(m *hosted) toolstest.Dict { return toolstest.Dict{"path": m.fresh, "type": "markdown"} }, func(m *hosted) string { return m.fresh }, 0},
	{"inspect_data", func(m *hosted) toolstest.Dict { return toolstest.Dict{"path": m.picture} }, func(m *hosted) string { return m.picture }, 1},
	{"look_around", func(m *hosted) toolstest.Dict { return toolstest.Dict{"path": m.path} }, func(m *hosted) string { return "is in " + m.path }, 0},
	{"wait_for_mention", onNotebook(toolstest.Dict{"timeout": 0}), saying("you were not called"), 0},
	{"find_tools", func(*hosted) toolstest.Dict { return toolstest.Dict{"query": "copy a file"} }, saying("@@ copy_document"), 0},
	{"call_tool", func(*hosted) toolstest.Dict {
		return toolstest.Dict{"name": "get_run", "arguments": toolstest.Dict{"run_id": "run-1"}}
	}, saying("firstword"), 1},
}

// namesPicture matches an image's size and its address in a text.
var namesPicture = regexp.MustCompile(`1×1: (jupyter://images/\w+)`)

// In every host, the model receives each answer of a core tool once, with its image; if the image comes late or never, the
// text has its size, and an address that shows it.
func TestCoreToolsInEveryHost(t *testing.T) {
	for _, outputs := range []tools.OutputSchemas{"", tools.LeanOutputs} {
		for _, h := range hosts.All() {
			t.Run(string(outputs)+" "+h.Name, func(t *testing.T) {
				jupytertest.Beside(t, func(t *testing.T) {
					m := newHosted(t, h, outputs)
					for _, c := range coreCalls {
						now, next := m.turn(c.tool, c.args(m))
						m.holds(c, now, next)
					}
				})
			})
		}
	}
}

// holds checks the model's input for a call.
func (m *hosted) holds(c coreCall, now, next hosts.Seen) {
	m.T.Helper()
	if n := strings.Count(now.Text, c.says(m)); n != 1 {
		m.T.Errorf("%s: the model reads %q %d times:\n%s", c.tool, c.says(m), n, now.Text)
	}
	if next.Text != "" {
		m.T.Errorf("%s: a turn later it reads %s", c.tool, next.Text)
	}
	want := [2]int{c.pictures, 0}
	switch {
	case !m.chat.Pictures:
		want = [2]int{}
	case m.chat.Late:
		want = [2]int{0, c.pictures}
	}
	if got := [2]int{len(now.Pictures), len(next.Pictures)}; got != want {
		m.T.Errorf("%s: it sees %v pictures, want %v", c.tool, got, want)
	}
	if c.pictures == 0 || c.tool == "inspect_data" {
		return
	}
	named := namesPicture.FindAllStringSubmatch(now.Text, -1)
	if len(named) != c.pictures {
		m.T.Fatalf("%s: the text names %d pictures of %d:\n%s", c.tool, len(named), c.pictures, now.Text)
	}
	shown, later := m.turn("inspect_data", toolstest.Dict{"path": named[0][1]})
	if m.chat.Pictures && len(shown.Pictures)+len(later.Pictures) != 1 {
		m.T.Errorf("%s shows %d pictures", named[0][1], len(shown.Pictures)+len(later.Pictures))
	}
	if !strings.Contains(shown.Text, "1×1") {
		m.T.Errorf("%s is said to be %s", named[0][1], shown.Text)
	}
}

// Every tool of the set "core" is called in every host.
func TestCoreToolsAreAllHosted(t *testing.T) {
	for _, d := range tools.Definitions() {
		tested := slices.ContainsFunc(coreCalls, func(c coreCall) bool { return c.tool == d.Name })
		if in := d.In(tool.ToolsetCore); in != tested {
			t.Errorf("%s is in core: %v, and is tested: %v", d.Name, in, tested)
		}
	}
}
