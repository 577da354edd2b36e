package tool

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// A call is continued by its state and its tool alone, asks again whoever comes back without an answer, ends when its
// client cancels it, and is forgotten when it has been answered.
func TestContinuedCall(t *testing.T) {
	end, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	s := &Suspended{Log: slog.New(slog.DiscardHandler), Start: func(work func(context.Context)) bool {
		working.Go(func() { work(end) })
		return true
	}}
	kept := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.calls)
	}
	began := 0
	asking := Tool{Name: "asking", Handle: func(ctx context.Context, _ mcp.CallToolRequest) (*Answer, error) {
		began++
		res, err := AskThrough(ctx)(ctx, mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: "Name? "})
		if err != nil {
			return nil, err
		}
		return &Answer{Body: res.Content.(map[string]any)["value"]}, nil
	}}
	send := func(ctx context.Context, of Tool, state string, with mcp.InputResponses) (*Answer, *mcp.CallToolResult, error) {
		var req mcp.CallToolRequest
		req.Params.RequestState, req.Params.InputResponses = state, with
		return s.Call(ctx, of, req)
	}
	if _, _, err := send(t.Context(), asking, "made up", nil); err == nil || !strings.Contains(err.Error(), "unknown requestState") {
		t.Errorf("a state made up: %v", err)
	}
	_, q, err := send(t.Context(), asking, "", nil)
	if err != nil || !q.NeedsInput() || len(q.InputRequests) != 1 || len(q.RequestState) < 20 || strings.Contains(q.RequestState, "Name") {
		t.Fatalf("question = %+v, %v", q, err)
	}
	id := slices.Collect(maps.Keys(q.InputRequests))[0]
	yes := mcp.InputResponses{id: mcp.NewElicitationInputResponse(mcp.ElicitationResult{
		ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "Ada"}},
	})}
	if _, _, err := send(t.Context(), Tool{Name: "another"}, q.RequestState, yes); err == nil {
		t.Error("the state is taken by another tool")
	}
	for _, with := range []mcp.InputResponses{nil, {"input-99": yes[id]}} {
		if _, again, err := send(t.Context(), asking, q.RequestState, with); err != nil || !again.NeedsInput() || again.InputRequests[id].Elicitation == nil {
			t.Errorf("without an answer: %+v, %v", again, err)
		}
	}
	if a, more, err := send(t.Context(), asking, q.RequestState, yes); err != nil || more != nil || a.Body != "Ada" || began != 1 {
		t.Errorf("answered: %+v, %+v, %v; begun %d times", a, more, err, began)
	}
	if _, _, err := send(t.Context(), asking, q.RequestState, yes); err == nil || kept() != 0 {
		t.Errorf("once more: %v, %d calls are kept", err, kept())
	}

	// Cancelled by its client, the work ends before the request does.
	ctx, cancel := context.WithCancel(t.Context())
	ended := false
	waiting := Tool{Name: "waiting", Handle: func(ctx context.Context, _ mcp.CallToolRequest) (*Answer, error) {
		cancel()
		<-ctx.Done()
		ended = true
		return nil, ctx.Err()
	}}
	if _, _, err := send(ctx, waiting, "", nil); !errors.Is(err, context.Canceled) || !ended || kept() != 0 {
		t.Errorf("cancelled: %v, ended %v, %d calls are kept", err, ended, kept())
	}
	broken := Tool{Name: "broken", Handle: func(context.Context, mcp.CallToolRequest) (*Answer, error) { panic("no") }}
	if _, _, err := send(t.Context(), broken, "", nil); !errors.As(err, new(Fault)) {
		t.Errorf("a panic: %v", err)
	}
	// One that nobody comes back for ends with the program.
	if _, q, err := send(t.Context(), asking, "", nil); err != nil || !q.NeedsInput() {
		t.Errorf("the last one: %+v, %v", q, err)
	}
}
