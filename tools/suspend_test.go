package tools_test

import (
	"bytes"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// In the stateless protocol a call is answered with the code's question and made again with the answer, over any number of
// rounds; its earlier effects are not repeated.
func TestInputOverSeveralRounds(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter() // with two programs
		var log bytes.Buffer
		p := &toolstest.Answerer{Answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "hunter2!"}}}
		c := r.Modern(&log, p)
		path := r.Server.Notebook(t, "1")
		var got notebook.InsertResult
		toolstest.Decode(t, r.CallAs(c, "insert_nb_cells", toolstest.Dict{"path": path, "position": 1, "cells": []toolstest.Dict{
			{"content": "import getpass\nprint(len(getpass.getpass('Token please: ')))"},
			{"content": "print(input('Name? ').upper(), input('Again? '))"},
		}}), &got)
		must.SliceLen(t, 2, got.Results, must.Sprint("insert"))
		test.Eq(t, string(run.Done), got.Results[0].State, test.Sprint("insert"))
		test.Eq(t, string(run.Done), got.Results[1].State, test.Sprint("insert"))
		test.StrContains(t, sample.AsJSON(t, got.Results[0].Outputs), `"text":"8\n"`, test.Sprint("insert"))
		test.StrContains(t, sample.AsJSON(t, got.Results[1].Outputs), "HUNTER2! hunter2!", test.Sprint("insert"))
		must.SliceLen(t, 3, p.Asked)
		test.StrContains(t, p.Asked[0], "Token please")
		test.StrContains(t, p.Asked[2], "Again?")
		if n := len(r.Read(path).Cells); n != 3 {
			t.Errorf("the notebook has %d cells, want 3", n)
		}
		test.StrNotContains(t, log.String(), "hunter2", test.Sprint("the log mentions the password"))
		test.StrNotContains(t, log.String(), "Token please", test.Sprint("the log mentions the password"))
		p.Answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
		var ran notebook.ExecuteResult
		toolstest.Decode(t, r.CallAs(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 2}}}), &ran)
		res := ran.Results[0]
		test.Eq(t, string(run.Interrupted), res.State, test.Sprint("declined"))
		test.StrContains(t, res.Message, "did not answer", test.Sprint("declined"))
		// wait_run asks about a run that was left waiting by a client without elicitation.
		p.Answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "late"}}
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 2}}, "timeout": 2}, &ran)
		var view notebook.RunView
		toolstest.Decode(t, r.CallAs(c, "wait_run", toolstest.Dict{"run_id": ran.Results[0].RunID}), &view)
		test.Eq(t, string(run.Done), view.State, test.Sprint("answered later"))
		test.StrContains(t, sample.AsJSON(t, view.Outputs), "LATE late", test.Sprint("answered later"))
	})
}
