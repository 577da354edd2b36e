package tools

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/run"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// answerer answers what a client is asked.
type answerer struct {
	asked  []string
	answer mcp.ElicitationResponse
	err    error
}

func (p *answerer) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.asked = append(p.asked, req.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: p.answer}, p.err
}

// What code asks reaches the person at the client, whose answer reaches the code; an answer to getpass is in no
// notebook, answer or log.
func TestInputIsElicited(t *testing.T) {
	r := newRig(t)
	r.who = (&tool.Clients{}).Enter() // with two programs
	var log bytes.Buffer
	p := &answerer{}
	s, err := New(Config{Work: r.work, Version: "test", Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
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
	path := r.server.Notebook(t, "import getpass\nprint(len(getpass.getpass('Token please: ')))", "print(input('Name? ').upper())")
	one := func(start int) notebook.ExecutionResult {
		t.Helper()
		var got notebook.ExecuteResult
		decode(t, r.callAs(c, "execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": start}}}), &got)
		return got.Results[0]
	}

	p.answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "hunter2!"}}
	if got := one(0); got.State != string(run.Done) || !strings.Contains(toolstest.AsJSON(t, got.Outputs), `"text":"8\n"`) || strings.Contains(toolstest.AsJSON(t, got), "hunter2") {
		t.Errorf("getpass: %s", toolstest.AsJSON(t, got))
	}
	if len(p.asked) != 1 || !strings.Contains(p.asked[0], "Token please") || !strings.Contains(p.asked[0], path) {
		t.Errorf("the person was asked %q", p.asked)
	}
	if strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), "Token please") {
		t.Errorf("the log tells of the password:\n%s", &log)
	}
	if got := one(1); got.State != string(run.Done) || !strings.Contains(toolstest.AsJSON(t, got.Outputs), "HUNTER2!") {
		t.Errorf("input: %s", toolstest.AsJSON(t, got))
	}

	p.answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
	if got := one(1); got.State != string(run.Interrupted) || !strings.Contains(got.Message, `"Name? "`) || !strings.Contains(got.Message, "did not answer") {
		t.Errorf("declined: %s", toolstest.AsJSON(t, got))
	}
	p.err = errors.New("the window was closed")
	if got := one(1); got.State != string(run.Interrupted) || !strings.Contains(got.Message, "the window was closed") {
		t.Errorf("failed: %s", toolstest.AsJSON(t, got))
	}
	// A client that cannot ask anybody sees what the code waits for; one that can answers in its place.
	p.err, p.answer = nil, mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "late"}}
	var res notebook.ExecutionResult
	for _, seconds := range []int{2, 20, 200} {
		var got notebook.ExecuteResult
		r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1}}, "timeout": seconds}, &got)
		if res = got.Results[0]; strings.Contains(res.Message, "input") {
			break
		}
		r.good("cancel_run", dict{"run_id": res.RunID}, nil) // the kernel had not come to it
		r.good("wait_run", dict{"run_id": res.RunID}, nil)
	}
	if res.State != string(run.Running) || !strings.Contains(res.Message, `waits for input ("Name? ")`) {
		t.Errorf("without elicitation: %s", toolstest.AsJSON(t, res))
	}
	var view notebook.RunView
	decode(t, r.callAs(c, "wait_run", dict{"run_id": res.RunID}), &view)
	if view.State != string(run.Done) || !strings.Contains(toolstest.AsJSON(t, view.Outputs), "LATE") {
		t.Errorf("answered by another client: %s", toolstest.AsJSON(t, view))
	}
}
