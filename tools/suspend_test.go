package tools_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// In the stateless protocol a call is answered with the code's question and made again with the answer, over as many
// rounds as it takes; what it did before is not done again.
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
		if len(got.Results) != 2 || got.Results[0].State != string(run.Done) || got.Results[1].State != string(run.Done) ||
			!strings.Contains(sample.AsJSON(t, got.Results[0].Outputs), `"text":"8\n"`) || !strings.Contains(sample.AsJSON(t, got.Results[1].Outputs), "HUNTER2! hunter2!") {
			t.Errorf("insert: %s", sample.AsJSON(t, got))
		}
		if len(p.Asked) != 3 || !strings.Contains(p.Asked[0], "Token please") || !strings.Contains(p.Asked[2], "Again?") {
			t.Errorf("the person was asked %q", p.Asked)
		}
		if n := len(r.Read(path).Cells); n != 3 {
			t.Errorf("the notebook has %d cells, want 3", n)
		}
		if strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), "Token please") {
			t.Errorf("the log tells of the password:\n%s", &log)
		}
		p.Answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
		var ran notebook.ExecuteResult
		toolstest.Decode(t, r.CallAs(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 2}}}), &ran)
		if res := ran.Results[0]; res.State != string(run.Interrupted) || !strings.Contains(res.Message, "did not answer") {
			t.Errorf("declined: %s", sample.AsJSON(t, res))
		}
		// A run that was left waiting by a client which cannot be asked is asked about by wait_run.
		p.Answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "late"}}
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 2}}, "timeout": 2}, &ran)
		var view notebook.RunView
		toolstest.Decode(t, r.CallAs(c, "wait_run", toolstest.Dict{"run_id": ran.Results[0].RunID}), &view)
		if view.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, view.Outputs), "LATE late") {
			t.Errorf("answered later: %s", sample.AsJSON(t, view))
		}
	})
}
