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
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A call is continued only by its state and its tool, asks again if the client returns without an answer, ends when its
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
	asking := Tool{Name: "asking", Call: Call{Handle: func(ctx context.Context, _ mcp.CallToolRequest) (*Answer, error) {
		began++
		res, err := AskThrough(ctx)(ctx, mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: "Name? "})
		if err != nil {
			return nil, err
		}
		return &Answer{Body: res.Content.(map[string]any)["value"]}, nil
	}}}
	send := func(ctx context.Context, of Tool, state string, with mcp.InputResponses) (*Answer, *mcp.CallToolResult, error) {
		var req mcp.CallToolRequest
		req.Params.RequestState, req.Params.InputResponses = state, with
		return s.Call(ctx, of, req)
	}
	if _, _, err := send(t.Context(), asking, "made up", nil); err == nil || !strings.Contains(err.Error(), "unknown requestState") {
		t.Errorf("a state made up: %v", err)
	}
	_, q, err := send(t.Context(), asking, "", nil)
	must.NoError(t, err)
	must.True(t, q.NeedsInput())
	must.MapLen(t, 1, q.InputRequests)
	must.GreaterEq(t, 20, len(q.RequestState))
	must.StrNotContains(t, q.RequestState, "Name")
	id := slices.Collect(maps.Keys(q.InputRequests))[0]
	yes := mcp.InputResponses{id: mcp.NewElicitationInputResponse(mcp.ElicitationResult{
		ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"value": "Ada"}},
	})}
	if _, _, err := send(t.Context(), Tool{Name: "another"}, q.RequestState, yes); err == nil {
		t.Error("the state is taken by another tool")
	}
	for _, with := range []mcp.InputResponses{nil, {"input-99": yes[id]}} {
		_, again, err := send(t.Context(), asking, q.RequestState, with)
		must.NoError(t, err, must.Sprint("without an answer"))
		test.True(t, again.NeedsInput(), test.Sprint("without an answer"))
		test.NotNil(t, again.InputRequests[id].Elicitation, test.Sprint("without an answer"))
	}
	a, more, err := send(t.Context(), asking, q.RequestState, yes)
	must.NoError(t, err, must.Sprint("answered"))
	must.Nil(t, more, must.Sprint("answered"))
	test.EqOp[any](t, "Ada", a.Body, test.Sprint("answered"))
	test.Eq(t, 1, began, test.Sprint("answered"))
	_, _, err = send(t.Context(), asking, q.RequestState, yes)
	must.Error(t, err, must.Sprint("once more"))
	test.Eq(t, 0, kept(), test.Sprint("once more"))

	// If its client cancels it, the work ends before the request does.
	ctx, cancel := context.WithCancel(t.Context())
	ended := false
	waiting := Tool{Name: "waiting", Call: Call{Handle: func(ctx context.Context, _ mcp.CallToolRequest) (*Answer, error) {
		cancel()
		<-ctx.Done()
		ended = true
		return nil, ctx.Err()
	}}}
	_, _, err = send(ctx, waiting, "", nil)
	test.ErrorIs(t, err, context.Canceled, test.Sprint("cancelled"))
	test.True(t, ended, test.Sprint("cancelled"))
	test.Eq(t, 0, kept(), test.Sprint("cancelled"))
	broken := Tool{Name: "broken", Call: Call{Handle: func(context.Context, mcp.CallToolRequest) (*Answer, error) { panic("no") }}}
	if _, _, err := send(t.Context(), broken, "", nil); !errors.As(err, new(Fault)) {
		t.Errorf("a panic: %v", err)
	}
	// A call that its client does not continue ends with the program.
	_, q, err = send(t.Context(), asking, "", nil)
	must.NoError(t, err, must.Sprint("the last one"))
	test.True(t, q.NeedsInput(), test.Sprint("the last one"))
}
