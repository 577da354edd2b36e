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

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

const asksName = "print(input('Name? ').upper())"

// soon is how long a call may take whose code waits for input: not the time for an answer, which is a minute.
const soon = 20 * time.Second

// A client that cannot ask anybody learns at once what the code waits for, whichever tool runs or follows it, and
// answers it.
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
		execute(2) // the kernel is there
		began := time.Now()
		got := execute(0)
		if took := time.Since(began); !jupytertest.Real() && took > time.Second {
			t.Errorf("the prompt came after %s", took)
		}
		res := got.Results[0]
		if res.State != string(run.WaitingForInput) || res.Input == nil || res.Input.Prompt != "Name? " || res.Input.Password || res.RunID == "" ||
			!strings.Contains(res.Message, "answer_input") || strings.Contains(res.Message, "wait_run") {
			t.Fatalf("%s", sample.AsJSON(t, got))
		}
		var view notebook.RunView
		for _, name := range []string{"get_run", "wait_run"} {
			began := time.Now()
			r.Good(name, toolstest.Dict{"run_id": res.RunID}, &view)
			if view.State != string(run.WaitingForInput) || view.Input == nil || time.Since(began) > soon {
				t.Errorf("%s: %s after %s", name, sample.AsJSON(t, view), time.Since(began))
			}
		}
		r.Bad("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "Ada\n"}, "line end", "one line")
		r.Bad("answer_input", toolstest.Dict{"run_id": "run-none", "text": "Ada"}, `"run-none"`, "list_runs")
		view = notebook.RunView{}
		r.Good("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "Ada"}, &view)
		if view.State != string(run.Done) || view.Input != nil || !strings.Contains(sample.AsJSON(t, view.Outputs), "ADA") {
			t.Errorf("answered: %s", sample.AsJSON(t, view))
		}
		r.Bad("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "Ada"}, res.RunID+" is done", "does not wait for input", "get_run")

		// The next question is answered likewise, and an empty line is an answer.
		res = execute(1).Results[0]
		view = notebook.RunView{}
		r.Good("answer_input", toolstest.Dict{"run_id": res.RunID, "text": ""}, &view)
		if view.State != string(run.WaitingForInput) || view.Input == nil || view.Input.Prompt != "B? " {
			t.Fatalf("the second question: %s", sample.AsJSON(t, view))
		}
		r.Good("answer_input", toolstest.Dict{"run_id": res.RunID, "text": "é"}, &view)
		if view.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, view.Outputs), "'é'") {
			t.Errorf("%s", sample.AsJSON(t, view))
		}

		// A cell that is inserted, and a client of the newer protocol.
		var log bytes.Buffer
		c := r.Modern(&log, nil)
		var inserted notebook.InsertResult
		toolstest.Decode(t, r.CallAs(c, "insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": asksName}, {"content": "1"}}}), &inserted)
		if len(inserted.Results) != 2 || inserted.Results[0].State != string(run.WaitingForInput) || inserted.Results[1].State != string(run.Queued) {
			t.Fatalf("inserted: %s", sample.AsJSON(t, inserted))
		}
		toolstest.Decode(t, r.CallAs(c, "answer_input", toolstest.Dict{"run_id": inserted.Results[0].RunID, "text": "Bea"}), &view)
		if view.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, view.Outputs), "BEA") {
			t.Errorf("in the newer protocol: %s", sample.AsJSON(t, view))
		}
	})
}

// The other tools that run code say it in their own form.
func TestAnswerInputElsewhere(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, asksName)
		answer := func(id string) {
			t.Helper()
			var view notebook.RunView
			r.Good("answer_input", toolstest.Dict{"run_id": id, "text": "Ada"}, &view)
			if view.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, view.Outputs), "ADA") {
				t.Errorf("answered: %s", sample.AsJSON(t, view))
			}
		}
		var made analysis.SessionInfo
		r.Good("session_create", toolstest.Dict{"name": "asks"}, &made)
		var code analysis.CodeResult
		r.Good("execute_code", toolstest.Dict{"session_id": made.ID, "code": asksName, "timeout": 50}, &code)
		if code.Success || code.State != string(run.WaitingForInput) || code.Input == nil || code.Input.Prompt != "Name? " ||
			code.ErrorType != "WaitingForInput" || !strings.Contains(code.ErrorMessage, "answer_input") {
			t.Fatalf("execute_code: %s", sample.AsJSON(t, code))
		}
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
			if res.IsError || !strings.Contains(said, "[INPUT REQUESTED: ") || !strings.Contains(said, `("Name? ")`) || !strings.Contains(said, "answer_input") ||
				strings.Contains(said, "TIMEOUT") || got["state"] != string(run.WaitingForInput) || !strings.Contains(sample.AsJSON(t, got["input"]), "Name? ") {
				t.Fatalf("%s: %s, %v", name, said, got)
			}
			answer(got["run_id"].(string))
		}
	})
}

// A password is a person's to answer, unless the program was told otherwise; it is in no answer, notebook or log.
func TestAnswerInputPassword(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter()
		path := r.Server.Notebook(t, "import getpass\nprint(len(getpass.getpass('Token: ')))")
		var got notebook.ExecuteResult
		r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &got)
		res := got.Results[0]
		if res.State != string(run.WaitingForInput) || res.Input == nil || !res.Input.Password || !strings.Contains(res.Message, "a person has to answer") ||
			!strings.Contains(res.Message, "elicitation") || !strings.Contains(res.Message, "--allow-agent-passwords") {
			t.Fatalf("%s", sample.AsJSON(t, res))
		}
		args := toolstest.Dict{"run_id": res.RunID, "text": "hunter2!"}
		r.Bad("answer_input", args, "a person has to answer", "elicitation", "--allow-agent-passwords")

		var log bytes.Buffer
		c := r.Connect(tools.Config{
			Work: r.Work, Version: "test", AgentPasswords: true, LogCode: true, Answers: tools.JSONAnswers,
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		defer c.Close()
		var view notebook.RunView
		toolstest.Decode(t, r.CallAs(c, "get_run", toolstest.Dict{"run_id": res.RunID}), &view)
		if !strings.Contains(view.Message, "answer_input") || strings.Contains(view.Message, "a person has to") {
			t.Errorf("allowed: %s", view.Message)
		}
		answered := r.CallAs(c, "answer_input", args)
		view = notebook.RunView{}
		toolstest.Decode(t, answered, &view)
		if view.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, view.Outputs), `"text":"8\n"`) {
			t.Errorf("answered: %s", sample.AsJSON(t, view))
		}
		if all := log.String() + sample.AsJSON(t, answered) + sample.AsJSON(t, r.Read(path)); strings.Contains(all, "hunter2") || !strings.Contains(all, "[input]") {
			t.Errorf("the password is seen:\n%s", all)
		}
	})
}

// busyPerson answers what code asks, after a look at what the model can do meanwhile.
type busyPerson struct{ meanwhile func() }

func (p busyPerson) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.meanwhile()
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "Ada"}}}, nil
}

// What a person is being asked is not answered for them.
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
		if res := got.Results[0]; res.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, res.Outputs), "ADA") {
			t.Errorf("%s", sample.AsJSON(t, res))
		}
		if state != string(run.Running) || !strings.Contains(refused, "a person is being asked") || !strings.Contains(refused, "wait_run") {
			t.Errorf("meanwhile it is %s, and answer_input says %q", state, refused)
		}
	})
}
