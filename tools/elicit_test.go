package tools_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// What code asks reaches the person at the client, whose answer reaches the code; an answer to getpass is in no
// notebook, answer or log.
func TestInputIsElicited(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Who = (&tool.Clients{}).Enter() // with two programs
		var log bytes.Buffer
		p := &toolstest.Answerer{}
		s, err := tools.New(tools.Config{Work: r.Work, Version: "test", Answers: tools.JSONAnswers, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		if err != nil {
			t.Fatal(err)
		}
		toolstest.Tick()
		c, err := client.NewInProcessClientWithOptions(s, client.WithElicitationHandler(p))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var hello mcp.InitializeRequest
		hello.Params.ProtocolVersion = "2025-06-18"
		if _, err := c.Initialize(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
		path := r.Server.Notebook(t, "import getpass\nprint(len(getpass.getpass('Token please: ')))", "print(input('Name? ').upper())")
		one := func(start int) notebook.ExecutionResult {
			t.Helper()
			var got notebook.ExecuteResult
			toolstest.Decode(t, r.CallAs(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": start}}}), &got)
			return got.Results[0]
		}

		p.Answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "hunter2!"}}
		if got := one(0); got.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, got.Outputs), `"text":"8\n"`) || strings.Contains(sample.AsJSON(t, got), "hunter2") {
			t.Errorf("getpass: %s", sample.AsJSON(t, got))
		}
		if len(p.Asked) != 1 || !strings.Contains(p.Asked[0], "Token please") || !strings.Contains(p.Asked[0], path) {
			t.Errorf("the person was asked %q", p.Asked)
		}
		if strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), "Token please") {
			t.Errorf("the log tells of the password:\n%s", &log)
		}
		if got := one(1); got.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, got.Outputs), "HUNTER2!") {
			t.Errorf("input: %s", sample.AsJSON(t, got))
		}

		p.Answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
		if got := one(1); got.State != string(run.Interrupted) || !strings.Contains(got.Message, `"Name? "`) || !strings.Contains(got.Message, "did not answer") {
			t.Errorf("declined: %s", sample.AsJSON(t, got))
		}
		p.Err = errors.New("the window was closed")
		if got := one(1); got.State != string(run.Interrupted) || !strings.Contains(got.Message, "the window was closed") {
			t.Errorf("failed: %s", sample.AsJSON(t, got))
		}
		// A client that cannot ask anybody sees what the code waits for; one that can answers in its place.
		p.Err, p.Answer = nil, mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "late"}}
		var res notebook.ExecutionResult
		for _, seconds := range []int{2, 20, 200} {
			var got notebook.ExecuteResult
			r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}, "timeout": seconds}, &got)
			if res = got.Results[0]; strings.Contains(res.Message, "input") {
				break
			}
			r.Good("cancel_run", toolstest.Dict{"run_id": res.RunID}, nil) // the kernel had not come to it
			r.Good("wait_run", toolstest.Dict{"run_id": res.RunID}, nil)
		}
		if res.State != string(run.WaitingForInput) || !strings.Contains(res.Message, `waits for input ("Name? ")`) {
			t.Errorf("without elicitation: %s", sample.AsJSON(t, res))
		}
		var view notebook.RunView
		toolstest.Decode(t, r.CallAs(c, "wait_run", toolstest.Dict{"run_id": res.RunID}), &view)
		if view.State != string(run.Done) || !strings.Contains(sample.AsJSON(t, view.Outputs), "LATE") {
			t.Errorf("answered by another client: %s", sample.AsJSON(t, view))
		}
	})
}
