package tools_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// A question of code reaches the person at the client, whose answer reaches the code; an answer to getpass never appears in
// a notebook, answer or log.
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
		got := one(0)
		test.Eq(t, string(run.Done), got.State, test.Sprint("getpass"))
		test.StrContains(t, sample.AsJSON(t, got.Outputs), `"text":"8\n"`, test.Sprint("getpass"))
		test.StrNotContains(t, sample.AsJSON(t, got), "hunter2", test.Sprint("getpass"))
		must.SliceLen(t, 1, p.Asked)
		test.StrContains(t, p.Asked[0], "Token please")
		test.StrContains(t, p.Asked[0], path)
		test.StrNotContains(t, log.String(), "hunter2", test.Sprint("the log mentions the password"))
		test.StrNotContains(t, log.String(), "Token please", test.Sprint("the log mentions the password"))
		got = one(1)
		test.Eq(t, string(run.Done), got.State, test.Sprint("input"))
		test.StrContains(t, sample.AsJSON(t, got.Outputs), "HUNTER2!", test.Sprint("input"))

		p.Answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
		got = one(1)
		test.Eq(t, string(run.Interrupted), got.State, test.Sprint("declined"))
		test.StrContains(t, got.Message, `"Name? "`, test.Sprint("declined"))
		test.StrContains(t, got.Message, "did not answer", test.Sprint("declined"))
		p.Err = errors.New("the window was closed")
		got = one(1)
		test.Eq(t, string(run.Interrupted), got.State, test.Sprint("failed"))
		test.StrContains(t, got.Message, "the window was closed", test.Sprint("failed"))
		// A client without elicitation sees which input the code waits for; one with elicitation answers instead.
		p.Err, p.Answer = nil, mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "late"}}
		var res notebook.ExecutionResult
		for _, seconds := range []int{2, 20, 200} {
			var got notebook.ExecuteResult
			r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}, "timeout": seconds}, &got)
			if res = got.Results[0]; strings.Contains(res.Message, "input") {
				break
			}
			r.Good("cancel_run", toolstest.Dict{"run_id": res.RunID}, nil) // the kernel had not run it yet
			r.Good("wait_run", toolstest.Dict{"run_id": res.RunID}, nil)
		}
		test.Eq(t, string(run.WaitingForInput), res.State, test.Sprint("without elicitation"))
		test.StrContains(t, res.Message, `waits for input ("Name? ")`, test.Sprint("without elicitation"))
		var view notebook.RunView
		toolstest.Decode(t, r.CallAs(c, "wait_run", toolstest.Dict{"run_id": res.RunID}), &view)
		test.Eq(t, string(run.Done), view.State, test.Sprint("answered by another client"))
		test.StrContains(t, sample.AsJSON(t, view.Outputs), "LATE", test.Sprint("answered by another client"))
	})
}
