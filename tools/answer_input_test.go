package tools_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

const asksName = "print(input('Name? ').upper())"

// soon is how long a call may take whose code waits for input: shorter than the limit for an answer, which is a minute.
const soon = 20 * time.Second

// A client without elicitation learns at once which input the code waits for, whichever tool runs or follows it, and answers
// it.
func TestAnswerInput(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter()
		path := r.Server.Notebook(t, asksName, "a = input()\nb = input('B? ')\nprint(repr(a + b))", "6 * 7")
		execute := func(cells int) notebook.ExecuteResult {
			t.Helper()
			var got notebook.ExecuteResult
			began := time.Now()
			r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": cells, "end": cells + 1}}}, &got)
			if took := time.Since(began); took > soon {
				t.Errorf("the call took %s", took)
			}
			return got
		}
		execute(2) // the kernel has started
		began := time.Now()
		got := execute(0)
		if took := time.Since(began); !jupytertest.Real() && took > time.Second {
			t.Errorf("the prompt came after %s", took)
		}
		res := got.Results[0]
		must.Eq(t, string(run.WaitingForInput), res.State)
		must.NotNil(t, res.Input)
		must.Eq(t, "Name? ", res.Input.Prompt)
		must.False(t, res.Input.Password)
		must.NotEq(t, "", res.RunID)
		must.StrContains(t, res.Message, "answer_input")
		must.StrNotContains(t, res.Message, "wait_run")
		var view notebook.RunView
		for _, name := range []string{"get_run", "wait_run"} {
			began := time.Now()
			r.Good(name, toolstest.Dict{"run_id": res.RunID}, &view)
			test.Eq(t, string(run.WaitingForInput), view.State, test.Sprint(name))
			must.NotNil(t, view.Input, must.Sprint(name))
			test.LessEq(t, soon, time.Since(began), test.Sprint(name))
		}
		r.Bad("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "Ada\n"}, "line end", "one line")
		r.Bad("answer_input", toolstest.Dict{"run_id": "run-none", "text": "Ada"}, `"run-none"`, "list_runs")
		view = notebook.RunView{}
		r.Good("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "Ada"}, &view)
		test.Eq(t, string(run.Done), view.State, test.Sprint("answered"))
		must.Nil(t, view.Input, must.Sprint("answered"))
		test.StrContains(t, sample.AsJSON(t, view.Outputs), "ADA", test.Sprint("answered"))
		r.Bad("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "Ada"}, res.RunID+" is done", "does not wait for input", "get_run")

		// The next question is answered in the same way, and an empty line is an answer.
		res = execute(1).Results[0]
		view = notebook.RunView{}
		r.Good("answer_input", toolstest.Dict{"run_id": res.RunID, "text": ""}, &view)
		must.Eq(t, string(run.WaitingForInput), view.State, must.Sprint("the second question"))
		must.NotNil(t, view.Input, must.Sprint("the second question"))
		must.Eq(t, "B? ", view.Input.Prompt, must.Sprint("the second question"))
		r.Good("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "é"}, &view)
		test.Eq(t, string(run.Done), view.State)
		test.StrContains(t, sample.AsJSON(t, view.Outputs), "'é'")

		// An inserted cell, and a client of the newer protocol.
		var log bytes.Buffer
		c := r.Modern(&log, nil)
		var inserted notebook.InsertResult
		toolstest.Decode(t, r.CallAs(c, "insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": asksName}, {"content": "1"}}}), &inserted)
		must.SliceLen(t, 2, inserted.Results, must.Sprint("inserted"))
		must.Eq(t, string(run.WaitingForInput), inserted.Results[0].State, must.Sprint("inserted"))
		must.Eq(t, string(run.Queued), inserted.Results[1].State, must.Sprint("inserted"))
		toolstest.Decode(t, r.CallAs(c, "answer_input", toolstest.Dict{"run_id": inserted.Results[0].RunID, "text": "Bea"}), &view)
		test.Eq(t, string(run.Done), view.State, test.Sprint("in the newer protocol"))
		test.StrContains(t, sample.AsJSON(t, view.Outputs), "BEA", test.Sprint("in the newer protocol"))
	})
}

// The other tools that run code say it in their own format.
func TestAnswerInputElsewhere(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, asksName)
		answer := func(id string) {
			t.Helper()
			var view notebook.RunView
			r.Good("answer_input", toolstest.Dict{"run_id": id, "text": "Ada"}, &view)
			test.Eq(t, string(run.Done), view.State, test.Sprint("answered"))
			test.StrContains(t, sample.AsJSON(t, view.Outputs), "ADA", test.Sprint("answered"))
		}
		var made analysis.SessionInfo
		r.Good("session_create", toolstest.Dict{"name": "asks"}, &made)
		var code analysis.CodeResult
		r.Good("execute_code", toolstest.Dict{"session_id": made.ID, "code": asksName, "timeout": 50}, &code)
		must.False(t, code.Success, must.Sprint("execute_code"))
		must.Eq(t, string(run.WaitingForInput), code.State, must.Sprint("execute_code"))
		must.NotNil(t, code.Input, must.Sprint("execute_code"))
		must.Eq(t, "Name? ", code.Input.Prompt, must.Sprint("execute_code"))
		must.Eq(t, "WaitingForInput", code.ErrorType, must.Sprint("execute_code"))
		must.StrContains(t, code.ErrorMessage, "answer_input", must.Sprint("execute_code"))
		answer(code.RunID)

		r.Good("use_notebook", toolstest.Dict{"notebook_name": "n", "notebook_path": path}, nil)
		for name, args := range map[string]toolstest.Dict{
			"execute_cell":             {"cell_index": 0, "timeout": 50},
			"execute_code":             {"code": asksName, "timeout": 50},
			"insert_execute_code_cell": {"cell_index": 1, "cell_source": asksName, "timeout": 50},
		} {
			res := r.Call(name, args)
			var text []string
			for _, one := range res.Content {
				text = append(text, fmt.Sprint(one))
			}
			said := strings.Join(text, "\n")
			got, _ := res.StructuredContent.(map[string]any)
			must.False(t, res.IsError, must.Sprint(name))
			must.StrContains(t, said, "[INPUT REQUESTED: ", must.Sprint(name))
			must.StrContains(t, said, `("Name? ")`, must.Sprint(name))
			must.StrContains(t, said, "answer_input", must.Sprint(name))
			must.StrNotContains(t, said, "TIMEOUT", must.Sprint(name))
			must.EqOp[any](t, string(run.WaitingForInput), got["state"], must.Sprint(name))
			must.StrContains(t, sample.AsJSON(t, got["input"]), "Name? ", must.Sprint(name))
			answer(got["run_id"].(string))
		}
	})
}

// Only a person may answer a password unless the program was configured otherwise; it never appears in an answer, notebook
// or log.
func TestAnswerInputPassword(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter()
		path := r.Server.Notebook(t, "import getpass\nprint(len(getpass.getpass('Token: ')))")
		var got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &got)
		res := got.Results[0]
		must.Eq(t, string(run.WaitingForInput), res.State)
		must.NotNil(t, res.Input)
		must.True(t, res.Input.Password)
		must.StrContains(t, res.Message, "a person must answer")
		must.StrContains(t, res.Message, "elicitation")
		must.StrContains(t, res.Message, "--allow-agent-passwords")
		args := toolstest.Dict{"run_id": res.RunID, "text": "hunter2!"}
		r.Bad("answer_input", args, "a person must answer", "elicitation", "--allow-agent-passwords")

		var log bytes.Buffer
		c := r.Connect(tools.Config{
			Work: r.Work, Version: "test", AgentPasswords: true, LogCode: true, Answers: tools.JSONAnswers,
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		defer c.Close()
		var view notebook.RunView
		toolstest.Decode(t, r.CallAs(c, "get_run", toolstest.Dict{"run_id": res.RunID}), &view)
		test.StrContains(t, view.Message, "answer_input", test.Sprint("allowed"))
		test.StrNotContains(t, view.Message, "a person must", test.Sprint("allowed"))
		answered := r.CallAs(c, "answer_input", args)
		view = notebook.RunView{}
		toolstest.Decode(t, answered, &view)
		test.Eq(t, string(run.Done), view.State, test.Sprint("answered"))
		test.StrContains(t, sample.AsJSON(t, view.Outputs), `"text":"8\n"`, test.Sprint("answered"))
		all := log.String() + sample.AsJSON(t, answered) + sample.AsJSON(t, r.Read(path))
		test.StrNotContains(t, all, "hunter2", test.Sprint("the password is seen"))
		test.StrContains(t, all, "[input]", test.Sprint("the password is seen"))
	})
}

// busyPerson answers questions of code, after calling meanwhile, which checks the model's options.
type busyPerson struct{ meanwhile func() }

func (p busyPerson) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.meanwhile()
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "Ada"}}}, nil
}

// A question that a person is being asked is not answered by the model.
func TestAnswerInputOfAPerson(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter()
		ctx := tool.WithClient(t.Context(), r.Who)
		path := r.Server.Notebook(t, asksName)
		other := r.Other()
		var refused, state string
		s := r.MCPServer()
		toolstest.Tick()
		c, err := client.NewInProcessClientWithOptions(s, client.WithElicitationHandler(busyPerson{func() {
			var req mcp.CallToolRequest
			req.Params.Name, req.Params.Arguments = "list_runs", toolstest.Dict{"path": path}
			res, err := other.CallTool(ctx, req)
			if err != nil {
				t.Error(err)
				return
			}
			var listed notebook.ListRunsResult
			toolstest.Decode(t, res, &listed)
			state = listed.Runs[0].State
			req.Params.Name, req.Params.Arguments = "answer_input", toolstest.Dict{"run_id": listed.Runs[0].RunID, "text": "Eve"}
			if res, err = other.CallTool(ctx, req); err != nil {
				t.Error(err)
				return
			}
			refused = toolstest.MessageOf(res)
		}}))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var hello mcp.InitializeRequest
		hello.Params.ProtocolVersion = "2025-06-18"
		if _, err := c.Initialize(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
		var got notebook.ExecuteResult
		toolstest.Decode(t, r.CallAs(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}), &got)
		res := got.Results[0]
		test.Eq(t, string(run.Done), res.State)
		test.StrContains(t, sample.AsJSON(t, res.Outputs), "ADA")
		test.Eq(t, string(run.Running), state)
		test.StrContains(t, refused, "a person is being asked")
		test.StrContains(t, refused, "wait_run")
	})
}
