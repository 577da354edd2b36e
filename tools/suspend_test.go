package tools

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session"
)

// modern makes a client of the newest protocol version, in which a server cannot ask of its own accord.
func (r *rig) modern(log *bytes.Buffer, p *answerer) *client.Client {
	r.t.Helper()
	s, err := New(Config{Manager: r.manager, Version: "test", Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
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
	r.who = (&Clients{}).Enter() // with two programs
	var log bytes.Buffer
	p := &answerer{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "hunter2!"}}}
	c := r.modern(&log, p)
	path := r.server.Notebook(t, "1")
	var got insertResult
	decode(t, r.callAs(c, "insert_nb_cells", dict{"path": path, "position": 1, "cells": []dict{
		{"content": "import getpass\nprint(len(getpass.getpass('Token please: ')))"},
		{"content": "print(input('Name? ').upper(), input('Again? '))"},
	}}), &got)
	if len(got.Results) != 2 || got.Results[0].State != string(session.Done) || got.Results[1].State != string(session.Done) ||
		!strings.Contains(asJSON(t, got.Results[0].Outputs), `"text":"8\n"`) || !strings.Contains(asJSON(t, got.Results[1].Outputs), "HUNTER2! hunter2!") {
		t.Errorf("insert: %s", asJSON(t, got))
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
	var ran executeResult
	decode(t, r.callAs(c, "execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 2}}}), &ran)
	if res := ran.Results[0]; res.State != string(session.Interrupted) || !strings.Contains(res.Message, "did not answer") {
		t.Errorf("declined: %s", asJSON(t, res))
	}
	// A run that was left waiting by a client which cannot be asked is asked about by wait_run.
	p.answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "late"}}
	r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 2}}, "timeout": 2}, &ran)
	var view runView
	decode(t, r.callAs(c, "wait_run", dict{"run_id": ran.Results[0].RunID}), &view)
	if view.State != string(session.Done) || !strings.Contains(asJSON(t, view.Outputs), "LATE late") {
		t.Errorf("answered later: %s", asJSON(t, view))
	}
}

// A call is continued by its state and its tool alone, asks again whoever comes back without an answer, ends when its
// client cancels it, and is forgotten when it has been answered.
func TestContinuedCall(t *testing.T) {
	m := session.New(session.Config{})
	defer func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	s := &suspended{manager: NewWork(m), log: slog.New(slog.DiscardHandler)}
	began := 0
	asking := tool{name: "asking", handle: func(ctx context.Context, _ mcp.CallToolRequest) (*answer, error) {
		began++
		line, err := asker(ctx)(ctx, session.Question{Prompt: "Name? "})
		return &answer{body: line}, err
	}}
	send := func(ctx context.Context, of tool, state string, with mcp.InputResponses) (*answer, *mcp.CallToolResult, error) {
		var req mcp.CallToolRequest
		req.Params.RequestState, req.Params.InputResponses = state, with
		return s.call(ctx, of, req)
	}
	if _, _, err := send(t.Context(), asking, "made up", nil); err == nil || !strings.Contains(err.Error(), "no longer known") {
		t.Errorf("a state made up: %v", err)
	}
	_, q, err := send(t.Context(), asking, "", nil)
	if err != nil || !q.NeedsInput() || len(q.InputRequests) != 1 || len(q.RequestState) < 20 || strings.Contains(q.RequestState, "Name") {
		t.Fatalf("question = %+v, %v", q, err)
	}
	id := slices.Collect(maps.Keys(q.InputRequests))[0]
	yes := mcp.InputResponses{id: mcp.NewElicitationInputResponse(mcp.ElicitationResult{
		ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: dict{"value": "Ada"}},
	})}
	if _, _, err := send(t.Context(), tool{name: "another"}, q.RequestState, yes); err == nil {
		t.Error("the state is taken by another tool")
	}
	for _, with := range []mcp.InputResponses{nil, {"input-99": yes[id]}} {
		if _, again, err := send(t.Context(), asking, q.RequestState, with); err != nil || !again.NeedsInput() || again.InputRequests[id].Elicitation == nil {
			t.Errorf("without an answer: %+v, %v", again, err)
		}
	}
	if a, more, err := send(t.Context(), asking, q.RequestState, yes); err != nil || more != nil || a.body != "Ada" || began != 1 {
		t.Errorf("answered: %+v, %+v, %v; begun %d times", a, more, err, began)
	}
	if _, _, err := send(t.Context(), asking, q.RequestState, yes); err == nil || len(s.calls) != 0 {
		t.Errorf("once more: %v, %d calls are kept", err, len(s.calls))
	}

	// Cancelled by its client, the work ends before the request does.
	ctx, cancel := context.WithCancel(t.Context())
	ended := false
	waiting := tool{name: "waiting", handle: func(ctx context.Context, _ mcp.CallToolRequest) (*answer, error) {
		cancel()
		<-ctx.Done()
		ended = true
		return nil, ctx.Err()
	}}
	if _, _, err := send(ctx, waiting, "", nil); !errors.Is(err, context.Canceled) || !ended || len(s.calls) != 0 {
		t.Errorf("cancelled: %v, ended %v, %d calls are kept", err, ended, len(s.calls))
	}
	broken := tool{name: "broken", handle: func(context.Context, mcp.CallToolRequest) (*answer, error) { panic("no") }}
	if _, _, err := send(t.Context(), broken, "", nil); !errors.As(err, new(fault)) {
		t.Errorf("a panic: %v", err)
	}
	// One that nobody comes back for ends with the program.
	if _, q, err := send(t.Context(), asking, "", nil); err != nil || !q.NeedsInput() {
		t.Errorf("the last one: %+v, %v", q, err)
	}
}
