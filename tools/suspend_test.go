package tools

import (
	"bytes"
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

// modern makes a client of the newest protocol version, in which a server cannot ask of its own accord.
func (r *rig) modern(log *bytes.Buffer, p *answerer) *client.Client {
	r.t.Helper()
	s, err := New(Config{Work: r.work, Version: "test", Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := client.NewInProcessClientWithOptions(s, client.WithElicitationHandler(p), client.WithProtocolVersion(mcp.ProtocolVersion20260728))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	if hello, err := c.Initialize(r.t.Context(), mcp.InitializeRequest{}); err != nil || hello.ProtocolVersion != mcp.ProtocolVersion20260728 {
		r.t.Fatalf("protocol version %v, %v", hello, err)
	}
	return c
}

// In the stateless protocol a call is answered with the code's question and made again with the answer, over as many
// rounds as it takes; what it did before is not done again.
func TestInputOverSeveralRounds(t *testing.T) {
	r := newRig(t)
	r.who = (&tool.Clients{}).Enter() // with two programs
	var log bytes.Buffer
	p := &answerer{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "hunter2!"}}}
	c := r.modern(&log, p)
	path := r.server.Notebook(t, "1")
	var got notebook.InsertResult
	decode(t, r.callAs(c, "insert_nb_cells", dict{"path": path, "position": 1, "cells": []dict{
		{"content": "import getpass\nprint(len(getpass.getpass('Token please: ')))"},
		{"content": "print(input('Name? ').upper(), input('Again? '))"},
	}}), &got)
	if len(got.Results) != 2 || got.Results[0].State != string(run.Done) || got.Results[1].State != string(run.Done) ||
		!strings.Contains(toolstest.AsJSON(t, got.Results[0].Outputs), `"text":"8\n"`) || !strings.Contains(toolstest.AsJSON(t, got.Results[1].Outputs), "HUNTER2! hunter2!") {
		t.Errorf("insert: %s", toolstest.AsJSON(t, got))
	}
	if len(p.asked) != 3 || !strings.Contains(p.asked[0], "Token please") || !strings.Contains(p.asked[2], "Again?") {
		t.Errorf("the person was asked %q", p.asked)
	}
	if n := len(r.read(path).Cells); n != 3 {
		t.Errorf("the notebook has %d cells, want 3", n)
	}
	if strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), "Token please") {
		t.Errorf("the log tells of the password:\n%s", &log)
	}
	p.answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
	var ran notebook.ExecuteResult
	decode(t, r.callAs(c, "execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 2}}}), &ran)
	if res := ran.Results[0]; res.State != string(run.Interrupted) || !strings.Contains(res.Message, "did not answer") {
		t.Errorf("declined: %s", toolstest.AsJSON(t, res))
	}
	// A run that was left waiting by a client which cannot be asked is asked about by wait_run.
	p.answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "late"}}
	r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 2}}, "timeout": 2}, &ran)
	var view notebook.RunView
	decode(t, r.callAs(c, "wait_run", dict{"run_id": ran.Results[0].RunID}), &view)
	if view.State != string(run.Done) || !strings.Contains(toolstest.AsJSON(t, view.Outputs), "LATE late") {
		t.Errorf("answered later: %s", toolstest.AsJSON(t, view))
	}
}
