package serve

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/tool"
)

// hold begins a call that waits; the channel is closed when it is answered.
func (r *rig) hold(path, body, mark string, changes ...change) <-chan struct{} {
	r.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := r.client.Do(r.request(context.Background(), "POST", path, body, changes...)); err == nil {
			res.Body.Close()
		}
	}()
	r.begun(mark)
	return done
}

// DELETE ends one MCP session with its calls and streams, and leaves the others.
func TestDeleteEndsASession(t *testing.T) {
	r := newRig(t, nil)
	mine, others := r.begin(), r.begin()
	listen, _ := r.open("/mcp", mine)
	theirs, _ := r.open("/mcp", others)
	called := r.hold("/mcp", call(5, "wait", "mine"), "mine", mine)
	still := r.hold("/mcp", call(5, "wait", "others"), "others", others)
	r.wants(r.send("DELETE", "/mcp", "", mine), 200)
	r.begun("ended mine")
	<-called
	if err := listen.end(); err != nil {
		t.Error(err)
	}
	r.wants(r.send("POST", "/mcp", call(6, "echo", "1"), mine), 404, "initialize")
	r.wants(r.send("DELETE", "/mcp", "", mine), 404)
	r.wants(r.send("POST", "/mcp", call(6, "echo", "on"), others), 200, "on")
	// A notification cancels a request of its own session only.
	third := r.begin()
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`
	r.wants(r.send("POST", "/mcp", cancelled, third), 202)
	r.wants(r.send("POST", "/mcp", call(7, "echo", "on"), others), 200, "on")
	r.wants(r.send("POST", "/mcp", cancelled, others), 202)
	r.begun("ended others")
	<-still
	theirs.close()
}

// A silent session without calls and streams ends after the timeout.
func TestSilentClients(t *testing.T) {
	t.Parallel() // slow, to allow for a machine that stalls for a while
	jupytertest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.ClientTimeout = 3 * time.Second })
		listens := r.begin()
		listen, a := r.open("/mcp", listens)
		if listen == nil {
			t.Fatalf("%+v", a)
		}
		calls := r.begin()
		called := r.hold("/mcp", call(1, "wait", "long"), "long", calls)
		silent := r.begin()
		eventually(t, "the silent client to be gone", func() bool { return strings.Contains(r.log.String(), "silent for too long") })
		r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), silent), 404, "initialize")
		r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), listens), 200)
		r.wants(r.send("POST", "/mcp", call(2, "echo", "1"), calls), 200)
		r.wants(r.send("DELETE", "/mcp", "", calls), 200)
		r.begun("ended long")
		<-called
	})
}

// The silence begins when the last call or stream ends.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newSessions(&tool.Clients{}, Limits{}.withDefaults())
		var gone []*mcpSession
		ctx, stop := context.WithCancel(t.Context())
		swept := make(chan struct{})
		ends := func(n *mcpSession) {
			gone = append(gone, n)
			n.client.Dismiss()
		}
		go func() {
			defer close(swept)
			g.sweep(ctx, time.Hour, ends)
		}()
		has := func(n *mcpSession, want bool) {
			t.Helper()
			synctest.Wait()
			if got := g.find(n.id, n.who, n.stream) != nil; got != want {
				t.Errorf("the session exists: %v, want %v", got, want)
			}
		}
		quiet, busy, stream := g.open("", false), g.open("", false), g.open("", true)
		end, err := g.begin(busy, aRequest)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour - time.Second)
		has(quiet, true)
		time.Sleep(2 * time.Second)
		has(quiet, false)
		time.Sleep(10 * time.Hour)
		has(busy, true)
		has(stream, true)
		end()
		time.Sleep(time.Hour - time.Second)
		has(busy, true)
		if end, err = g.begin(busy, aStream); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		has(busy, true)
		end()
		time.Sleep(2*time.Hour + time.Second)
		has(busy, false)
		has(stream, true)
		must.SliceLen(t, 2, gone)
		test.EqOp(t, quiet, gone[0])
		test.EqOp(t, busy, gone[1])
		if _, err := g.begin(quiet, aRequest); err == nil {
			t.Error("an ended session is served")
		}
		stop()
		<-swept
		g.cancelAll()
	})
}

// In the older transport a session lasts as long as its stream.
func TestEvents(t *testing.T) {
	r := newRig(t, nil)
	st, endpoint := r.events()
	if !strings.HasPrefix(endpoint, "/message?sessionId=") {
		t.Errorf("messages go to %q", endpoint)
	}
	r.wants(r.send("POST", endpoint, hello), 202)
	if _, err := st.until(`"protocolVersion":"2025-06-18"`); err != nil {
		t.Error(err)
	}
	r.wants(r.send("POST", endpoint, call(2, "echo", "over the stream")), 202)
	if _, err := st.until("over the stream"); err != nil {
		t.Error(err)
	}
	r.wants(r.send("POST", endpoint, call(3, "echo", "1"), bearing(token2)), 404)
	// The transports do not accept each other's sessions.
	_, id, _ := strings.Cut(endpoint, "=")
	r.wants(r.send("POST", "/mcp", call(3, "echo", "1"), with("Mcp-Session-Id", id)), 404)
	st.close()
	eventually(t, "the client to be gone", func() bool { return r.send("POST", endpoint, call(3, "echo", "1")).status == 404 })
	_, proxied := r.events(with("X-Forwarded-Prefix", "/user/ada/mcp/"))
	if !strings.HasPrefix(proxied, "/user/ada/mcp/message?sessionId=") {
		t.Errorf("with a proxy messages go to %q", proxied)
	}
	for _, bad := range []string{"//evil.example", "evil", "/a?b", `/\evil.example`} {
		if _, at := r.events(with("X-Forwarded-Prefix", bad)); !strings.HasPrefix(at, "/message?") {
			t.Errorf("with the prefix %q messages go to %q", bad, at)
		}
	}
}

// In the revision without sessions a client cannot cancel another client's request with the same id.
func TestModernRequestsAreApart(t *testing.T) {
	r := newRig(t, nil)
	body, headers := modern(5, "tools/call", map[string]any{"name": "wait", "arguments": map[string]any{"mark": "modern"}})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := r.client.Do(r.request(ctx, "POST", "/mcp", body, headers...)); err == nil {
			res.Body.Close()
		}
	}()
	r.begun("modern")
	note, noteHeaders := modern(0, "notifications/cancelled", map[string]any{"requestId": 5})
	r.wants(r.send("POST", "/mcp", note, append(noteHeaders, bearing(token2))...), 202)
	echo, echoHeaders := modern(5, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"mark": "mine"}})
	a := r.send("POST", "/mcp", echo, append(echoHeaders, bearing(token2))...)
	r.wants(a, 200, "mine")
	if a.header.Get("Mcp-Session-Id") != "" {
		t.Error("there is a session")
	}
	select {
	case got := <-r.waits:
		t.Errorf("the other's call: %q", got)
	default:
	}
	stop() // closing the connection cancels it
	<-done
	r.begun("ended modern")
}

// Tools without MCP.
func TestREST(t *testing.T) {
	r := newRig(t, nil)
	for _, path := range healthPaths {
		r.wants(r.send("GET", path, "", with("Authorization", "")), 200, `"status":"healthy"`)
	}
	a := r.send("GET", "/tools/list", "")
	r.wants(a, 200)
	var list struct {
		Tools []struct {
			Name        string         `json:"name"`
			InputSchema map[string]any `json:"inputSchema"`
		} `json:"tools"`
		Count int `json:"count"`
	}
	err := json.Unmarshal([]byte(a.body), &list)
	must.NoError(t, err, must.Sprint(a.body))
	test.Eq(t, 3, list.Count, test.Sprint(a.body))
	must.SliceLen(t, 3, list.Tools, must.Sprint(a.body))
	test.Eq(t, "echo", list.Tools[1].Name, test.Sprint(a.body))
	test.EqOp[any](t, "object", list.Tools[1].InputSchema["type"], test.Sprint(a.body))
	for _, c := range []struct {
		body   string
		status int
		says   string
	}{
		{`{"tool_name":"echo","arguments":{"mark":"one"}}`, 200, `{"success":true,"result":{"content":[{"type":"text","text":"one"}]}}`},
		{`{"name":"echo","parameters":{"mark":"two"}}`, 200, `"text":"two"`},
		{`{"tool_name":"echo"}`, 200, `"success":true`},
		{`{"tool_name":"echo","arguments":{"mark":"bad"}}`, 200, `"success":false`},
		{`{"tool_name":"none"}`, 404, `unknown tool \"none\"`},
		{`{"arguments":{}}`, 400, "tool_name is required"},
		{`[]`, 400, "tool_name"},
		{`{`, 400, "tool_name"},
	} {
		r.wants(r.send("POST", "/tools/call", c.body), c.status, c.says)
	}
	// A call ends with its connection.
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := r.client.Do(r.request(ctx, "POST", "/tools/call", `{"tool_name":"wait","arguments":{"mark":"rest"}}`)); err == nil {
			res.Body.Close()
		}
	}()
	r.begun("rest")
	stop()
	<-done
	r.begun("ended rest")
}

// No session id gets into the log, not even through mcp-go.
func TestLogHasNoSessions(t *testing.T) {
	r := newRig(t, nil)
	mine := r.begin()
	r.wants(r.send("POST", "/mcp", `{"jsonrpc":"2.0","id":77,"result":{"a":1}}`, mine), 202)
	req := r.request(t.Context(), "GET", "/", "", mine)
	test.StrContains(t, r.log.String(), "mcp-go: ", test.Sprint("the log"))
	test.StrNotContains(t, r.log.String(), req.Header.Get("Mcp-Session-Id"), test.Sprint("the log"))
}
