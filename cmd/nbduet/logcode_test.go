package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// mark is in everything that the tests of the log send: code, its names and outputs, contents, errors.
const mark = "qzmark"

// exchange writes a line and returns the next answer; it skips the program's own messages.
func (p *program) exchange(line string) map[string]any {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	for {
		answer, err := p.out.ReadBytes('\n')
		if err != nil {
			p.t.Fatalf("read the answer to %s: %v; log: %s", line, err, p.log.String())
		}
		var m map[string]any
		if err := json.Unmarshal(answer, &m); err != nil {
			p.t.Fatalf("stdout has %q: %v", answer, err)
		}
		if m["method"] == nil {
			return m
		}
	}
}

// do calls a tool and returns the text of the answer, whether or not it is a refusal.
func (p *program) do(tool string, args map[string]any) string {
	p.t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		p.t.Fatal(err)
	}
	m := p.exchange(string(b))
	out, err := json.Marshal(m["result"])
	must.EqOp[any](p.t, tool, m["id"])
	must.NoError(p.t, err)
	return string(out)
}

// value returns a value for a schema, with the mark in every text that is not a file's name.
func value(name string, schema map[string]any) any {
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok {
		kind = kinds[0]
	}
	switch kind {
	case "object":
		out := map[string]any{}
		members, _ := schema["properties"].(map[string]any)
		for name, member := range members {
			out[name] = value(name, member.(map[string]any))
		}
		return out
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{value(name, items)}
	case "integer", "number":
		return 1
	case "boolean":
		return false
	}
	if strings.Contains(strings.ToLower(name), "path") {
		return "no/such/file.ipynb"
	}
	return mark
}

// Without --log-code, the log has no content of requests and answers, in any situation.
func TestLogHoldsNoCode(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	path := s.Notebook(t, "'"+mark+"'")
	t.Cleanup(func() { shutKernel(t, s, path) })
	p := launch(t, "--jupyter-url="+s.URL, "--token="+s.Token, "--log-level=debug", "--toolsets=all", "--output-schemas=full", "--input-timeout=0.5")
	p.initialize()
	calls := 0
	do := func(says, tool string, args map[string]any) string {
		t.Helper()
		calls++
		out := p.do(tool, args)
		if !strings.Contains(out, says) { // otherwise the call proves nothing about the log
			t.Errorf("%s %v: %s", tool, args, out)
		}
		return out
	}
	insert := func(says, code string) string {
		t.Helper()
		return do(says, "insert_nb_cells", map[string]any{"path": path, "position": 0, "cells": []any{map[string]any{"content": code}}})
	}

	// Files that the server cannot read, and quotes.
	broken, invalid := s.Name(t, ".ipynb"), s.Name(t, "-2.ipynb")
	s.Write(t, broken, mark)
	s.Write(t, invalid, `{"cells": [{"cell_type": "`+mark+`"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
	for _, file := range []string{broken, invalid} {
		for _, tool := range []string{"get_nb_stat", "read_nb_cells", "get_document_info"} {
			do("", tool, map[string]any{"path": file})
		}
	}

	// Code that prints, raises, asks, displays, has too much output, and ends its kernel.
	insert(mark, "print('"+mark+"')\n"+mark+" = 1\nraise ValueError('"+mark+"')")
	asking := regexp.MustCompile(`run-\d+`).FindString(insert(mark, "input('"+mark+"?')"))
	goesOn := regexp.MustCompile(`"state":"(waiting_for_input|running)"`)
	waits := func() bool {
		return goesOn.MatchString(do("", "get_run", map[string]any{"run_id": asking}))
	}
	for end := time.Now().Add(time.Minute); waits(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the cell that waits for input is not interrupted") // later runs are answered at once
		}
	}
	insert("MathML", "from IPython.display import display, HTML, Math\ndisplay(HTML('<b>"+mark+"</b>'), display_id='"+mark+"')\nprint('"+mark+"' * 30_000)\n'MathML'")
	insert("restarted", "import os\nprint('"+mark+"', flush=True)\nos.kill(os.getpid(), 9)")
	do(mark, "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 4}}})
	do(mark, "read_nb_cells", map[string]any{"path": path})
	do(mark, "modify_nb_cells", map[string]any{"path": path, "modifications": []any{map[string]any{"range": map[string]any{"start": 4}, "content": "1/0 # " + mark}}})
	do("", "list_runs", nil)

	// Text.
	file := strings.TrimSuffix(path, ".ipynb") + ".md"
	do("", "create_document", map[string]any{"path": file, "type": "markdown", "content": "# " + mark})
	do(mark, "get_document_content", map[string]any{"path": file})
	do("", "insert_document_text", map[string]any{"path": file, "position": 0, "text": mark})
	do("", "overwrite_document", map[string]any{"path": file, "content": strings.Repeat(mark+"\n", 9)})
	do("", "delete_document", map[string]any{"path": file})

	// Sessions.
	for _, args := range []map[string]any{{}, {"notebook_path": path}} {
		var made struct {
			Content struct {
				ID string `json:"session_id"`
			} `json:"structuredContent"`
		}
		if err := json.Unmarshal([]byte(do("session_id", "session_create", args)), &made); err != nil {
			t.Fatal(err)
		}
		with := func(name string, value any) map[string]any {
			return map[string]any{"session_id": made.Content.ID, name: value}
		}
		table := "from IPython.display import HTML\nimport sys\n" + mark + " = HTML('<td>" + mark + "</td>')"
		if jupytertest.Real() { // its variables are checked below
			table = "import pandas, sys\n" + mark + " = pandas.DataFrame({'" + mark + "': ['" + mark + "']})"
		}
		do(mark, "execute_code", with("code", table+"\nprint('"+mark+"', file=sys.stderr)\n"+mark))
		do(mark, "execute_code", with("code", "raise type('"+mark+"Error', (Exception,), {})('"+mark+"')"))
		do(mark, "get_variable", with("variable_name", mark+"()"))
		if jupytertest.Real() { // a fake's kernel has no values to look at
			do(mark, "get_variables", with("limit", 10))
			do(mark, "get_variable", with("variable_name", mark))
			do("no variable", "get_variable", with("variable_name", mark+"2"))
			do(mark, "get_dataframe_info", with("variable_name", mark))
		}
		do("", "session_delete", map[string]any{"session_id": made.Content.ID})
	}

	// Every tool, including those not named here, with the mark in every text, and as a wrong argument.
	list, _ := p.exchange(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)["result"].(map[string]any)
	tools, _ := list["tools"].([]any)
	for _, one := range tools {
		tool := one.(map[string]any)
		do("", tool["name"].(string), value("", tool["inputSchema"].(map[string]any)).(map[string]any))
		do(mark, tool["name"].(string), map[string]any{mark: mark})
	}
	if len(tools) < 40 {
		t.Errorf("only %d tools", len(tools))
	}

	// Messages that are not tool calls.
	for i, line := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + mark + `","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":"` + mark + `"}`,
		`{"jsonrpc":"2.0","id":4,"method":"` + mark + `"}`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"jupyter://sessions/none/images/none.png"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/list","params":{"cursor":"` + mark + `"}}`,
		`"` + mark,
	} {
		if m := p.exchange(line); m["error"] == nil {
			t.Errorf("line %d is answered with %v", i, m)
		}
	}

	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	log := p.log.String()
	for line := range strings.Lines(log) {
		test.StrNotContains(t, strings.ToLower(line), mark)
		test.StrNotContains(t, line, s.Token)
	}
	if n := strings.Count(log, `msg="tool call" tool=`); n != calls {
		t.Errorf("%d calls are logged, of %d", n, calls)
	}
	for _, want := range []string{
		`level=INFO msg="tool call" tool=session_delete outcome=ok took=`, `client="test 1"`, "session=", "run=", "sent=", "answered=",
		"outcome=refused", "error=session_not_found", `error="invalid arguments"`, `error="room closed: invalid file"`, "state=done", "state=failed",
		`msg="Resource read failed" uri=jupyter://sessions/none/images/none.png code=-32602 reason=`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(log)
	}
}

// With --log-code, the log has requests and answers, up to a bound, but never the token.
func TestLogCode(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	t.Setenv("NBDUET_LOG_CODE", "true")
	p := launch(t, "--jupyter-url="+s.URL, "--token="+s.Token)
	p.initialize()
	var made struct {
		ID string `json:"session_id"`
	}
	text, failed := p.tool(2, "session_create", nil)
	err := json.Unmarshal([]byte(text), &made)
	must.NoError(t, err, must.Sprint(text))
	must.False(t, failed, must.Sprint(text))
	p.tool(3, "execute_code", map[string]any{"session_id": made.ID, "code": "in_code = 'in_' + 'output'\nprint(in_code)\nraise ValueError('in_' + 'error')"})
	p.tool(4, "execute_code", map[string]any{"session_id": made.ID, "code": fmt.Sprintf("print(%q)\nlong_output = 'y' * 90_000\nlong_output # %s", s.Token, strings.Repeat("x", 50_000))})
	p.tool(5, "get_variable", map[string]any{"session_id": made.ID, "variable_name": "in_name"})
	p.tool(6, "session_delete", map[string]any{"session_id": made.ID})
	p.in.Close()
	p.end()
	log := p.log.String()
	for _, want := range []string{"arguments=", "answer=", "in_code", "in_output", "in_error", "in_name", "[token]", "characters left out"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not hold %q", want)
		}
	}
	if strings.Contains(log, s.Token) {
		t.Error("the log holds the token")
	}
	for line := range strings.Lines(log) {
		if len(line) > 20_000 {
			t.Errorf("a line of %d bytes: %.200s", len(line), line)
		}
	}
	if t.Failed() {
		t.Log(log)
	}
}
