package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/tool"
)

// teller serves a tool "tell" that sends progress to its client, and a notification to its session, just before it answers.
func teller(t *testing.T) *rig {
	t.Helper()
	return newRig(t, func(cfg *Config) {
		hooks := &server.Hooks{}
		tool.HookListen(hooks)
		cfg.Limits.QuietTime = time.Millisecond // comments in between do no harm
		cfg.MCP = server.NewMCPServer("toy", "1", server.WithHooks(hooks), server.WithToolCapabilities(false))
		cfg.MCP.AddTool(mcp.NewTool("tell"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			mark := req.GetString("mark", "")
			tool.Progress(tool.WithProgress(ctx, req), 1, mark)
			if to := tool.NotifiersIn(ctx).Session; to != nil && mark != "" {
				if !to.Notify(tool.Notification("notifications/message", map[string]any{"data": mark})) {
					return nil, fmt.Errorf("%s cannot be told", mark)
				}
			}
			return mcp.NewToolResultText("told"), nil
		})
	})
}

// tell returns a call of "tell".
func tell(id int, mark string, progress bool) string {
	params := map[string]any{"name": "tell", "arguments": map[string]any{"mark": mark}}
	if progress {
		params["_meta"] = map[string]any{"progressToken": id}
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// events returns the messages of an answer that is a stream of events.
func (a answer) events(t *testing.T) (messages []map[string]any) {
	t.Helper()
	kind := a.header.Get("Content-Type")
	must.Eq(t, http.StatusOK, a.status)
	must.Eq(t, "text/event-stream", kind)
	for _, one := range strings.Split(strings.TrimSuffix(a.body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(one, "event: message\ndata: ")
		var m map[string]any
		err := json.Unmarshal([]byte(data), &m)
		must.True(t, ok, must.Sprint(one))
		must.NoError(t, err, must.Sprint(one))
		messages = append(messages, m)
	}
	return messages
}

// A request that listens to nothing is acknowledged before it is answered.
func TestAcknowledges(t *testing.T) {
	r := teller(t)
	var at sync.WaitGroup
	for i := range 8 {
		at.Go(func() {
			for n := range 50 {
				body, headers := modern(100*i+n+1, "subscriptions/listen", map[string]any{"notifications": map[string]any{}})
				got := r.send("POST", "/mcp", body, headers...).events(t)
				if len(got) != 2 || got[0]["method"] != mcp.MethodNotificationSubscriptionsAcknowledged || got[1]["result"] == nil {
					t.Errorf("answered %v", got)
				}
			}
		})
	}
	at.Wait()
}

// Progress sent just before the answer arrives before it, on the same stream, and an answer without progress is JSON.
func TestProgressArrives(t *testing.T) {
	r := teller(t)
	mine := r.begin()
	var at sync.WaitGroup
	for i := range 8 {
		at.Go(func() {
			for n := range 50 {
				id := 100*i + n + 1
				body, headers := tell(id, "", true), []change{mine}
				if n%2 == 0 {
					body, headers = modern(id, "tools/call", map[string]any{"name": "tell", "arguments": map[string]any{}})
					body = strings.Replace(body, `"_meta":{`, fmt.Sprintf(`"_meta":{"progressToken":%d,`, id), 1)
				}
				got := r.send("POST", "/mcp", body, headers...).events(t)
				if len(got) != 2 || got[0]["method"] != "notifications/progress" || got[1]["id"] != float64(id) || got[1]["result"] == nil ||
					got[0]["params"].(map[string]any)["progressToken"] != float64(id) {
					t.Errorf("answered %v", got)
				}
			}
		})
	}
	at.Wait()
	a := r.send("POST", "/mcp", tell(1000, "", false), mine)
	test.Eq(t, 200, a.status)
	test.Eq(t, "application/json", a.header.Get("Content-Type"))
	test.True(t, json.Valid([]byte(a.body)))
}

// A session's notifications arrive on the stream that its client has opened, whatever other requests are answered.
func TestSessionIsReported(t *testing.T) {
	r := teller(t)
	mine := r.begin()
	stream, _ := r.open("/mcp", mine)
	var at sync.WaitGroup
	for range 4 {
		at.Go(func() {
			for n := range 100 {
				r.wants(r.send("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 10_000+n), mine), 200, "result")
			}
		})
	}
	for n := range 100 {
		mark := fmt.Sprintf("mark %d.", n)
		a := r.send("POST", "/mcp", tell(n+1, mark, false), mine)
		if r.wants(a, 200, "told"); strings.Contains(a.body, mark) {
			t.Errorf("answered %s", a.body)
		}
		line, err := stream.until("data: ")
		must.NoError(t, err)
		must.StrContains(t, line, mark)
	}
	at.Wait()
	stream.close()
	// Without a stream, the answer to the next request includes it.
	eventually(t, "the stream to be gone", func() bool {
		r.s.sessions.mu.Lock()
		defer r.s.sessions.mu.Unlock()
		for _, sess := range r.s.sessions.byID {
			if sess.streams > 0 {
				return false
			}
		}
		return true
	})
	r.wants(r.send("POST", "/mcp", tell(1, "the last", false), mine), 200, "told")
	got := r.send("POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, mine).events(t)
	must.SliceLen(t, 2, got)
	test.EqOp[any](t, "notifications/message", got[0]["method"])
	test.EqOp[any](t, 2., got[1]["id"])
	// A notification that does not fit the queue is refused, so that the sender can tell.
	sess := &mcpSession{waiting: make(chan mcp.JSONRPCNotification, 1)}
	n := (mcp.JSONRPCNotification{})
	test.True(t, sess.Notify(n), test.Sprint("a full session takes notifications"))
	test.False(t, sess.Notify(n), test.Sprint("a full session takes notifications"))
}
