package serve

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/tool"
)

// basic is a token as sent by clients that take it from the address.
func basic(token string) change {
	return with("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("any:"+token)))
}

// A connection is admitted like a request, and needs the subprotocol.
func TestSocketGate(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.AllowedOrigins = []string{"https://app.example.org"} })
	host := func(name string) change { return func(r *http.Request) { r.Host = name } }
	for name, c := range map[string]struct {
		protocols string
		change    change
		status    int
		says      string
	}{
		"a token":                 {"mcp", bearing(token1), 101, ""},
		"the other token":         {"mcp", bearing(token2), 101, ""},
		"a token in the address":  {"mcp", basic(token1), 101, ""},
		"one protocol of several": {"soap, mcp", bearing(token1), 101, ""},
		"an allowed page":         {"mcp", with("Origin", "https://app.example.org"), 101, ""},
		"no token":                {"mcp", with("Authorization", ""), 401, "Bearer TOKEN"},
		"a wrong token":           {"mcp", bearing(token1 + "x"), 401, "token is wrong"},
		"a wrong password":        {"mcp", basic("x"), 401, "token is wrong"},
		"no password":             {"mcp", basic(""), 401, ""},
		"a foreign page":          {"mcp", with("Origin", "https://evil.example"), 403, "--allowed-origins"},
		"a foreign name":          {"mcp", host("evil.example"), 403, "--allowed-hosts"},
		"no protocol":             {"", bearing(token1), 400, "Sec-WebSocket-Protocol: mcp"},
		"another protocol":        {"soap", bearing(token1), 400, "Sec-WebSocket-Protocol: mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			at := *r
			at.t = t
			conn, a := at.dialSocket(c.protocols, c.change)
			at.wants(a, c.status, c.says)
			challenge := a.header.Get("WWW-Authenticate")
			test.Eq(t, strings.HasPrefix(challenge, "Bearer "), c.status == 401, test.Sprint("WWW-Authenticate"))
			test.StrNotContains(t, challenge, "Basic", test.Sprint("WWW-Authenticate"))
			if conn != nil {
				conn.send(hello)
				conn.wants("toy")
				conn.ws.Close()
			}
		})
	}
	a := r.send("GET", socketPath, "")
	if r.wants(a, 426, "/mcp"); a.header.Get("Upgrade") != "websocket" {
		t.Errorf("%v", a.header)
	}
	r.wants(r.send("GET", socketPath, "", with("Connection", "upgrade"), with("Upgrade", "websocket"), with("Sec-WebSocket-Protocol", "mcp")), 400, "version")
	r.wants(r.send("POST", socketPath, hello), 405)
	r.wants(r.send("POST", "/mcp", hello, basic(token1)), 401) // a browser might keep it
	r.endedAll()
}

// Each text frame is one message, whatever its content, and is answered under the id that was sent.
func TestSocketMessages(t *testing.T) {
	r := newRig(t, nil)
	c := r.connect()
	for _, m := range []struct{ send, says string }{
		{call(7, "echo", "here"), `"here"`},
		{`not JSON`, `"code":-32700`},
		{``, `"code":-32700`},
		{`[` + call(7, "echo", "x") + `]`, `"code":-32700`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "neither a string nor a number"},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `"id":9007199254740993`},
		{`{"jsonrpc":"2.0","id":"1","method":"ping"}`, `"id":"1"`},
		{`{"jsonrpc":"2.0","id":8,"method":"none"}`, `"code":-32601`},
	} {
		c.send(m.send)
		c.wants(m.says)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"result":{}}`) // an answer without a waiting request
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	long := strings.Repeat("é", 3<<20)
	c.send(call(9, "echo", long))
	c.wants(`"id":9`, long)
	// Calls are answered as they end, and a notification cancels one.
	c.send(call(10, "wait", "one"))
	r.begun("one")
	c.send(call(11, "echo", "meanwhile"))
	c.wants(`"id":11`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}`)
	r.begun("ended one")
	c.wants(`"id":10`)
	if err := c.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")); err != nil {
		t.Error(err)
	}
	c.closes(websocket.CloseNormalClosure, "")
	r.endedAll()
}

// A frame that is not a message ends the connection, with a reason, even if its sender continues to send.
func TestSocketRefusesFrames(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limits.Body = 1000 })
	for name, c := range map[string]struct {
		kind int
		text string
		code int
		says string
	}{
		"binary":    {websocket.BinaryMessage, hello, websocket.CloseUnsupportedData, "text frames"},
		"not UTF-8": {websocket.TextMessage, "{\"a\":\"\xff\"}", websocket.CloseInvalidFramePayloadData, "UTF-8"},
		"too long":  {websocket.TextMessage, strings.Repeat(" ", 1001), websocket.CloseMessageTooBig, "longer than 1000 bytes"},
		"very long": {websocket.TextMessage, strings.Repeat(" ", 1<<20), websocket.CloseMessageTooBig, "longer than 1000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			at := *r
			at.t = t
			conn := at.connect()
			conn.t = t
			_ = conn.ws.WriteMessage(c.kind, []byte(c.text)) // may fail if it is refused before its end
			conn.closes(c.code, c.says)
		})
	}
	c := r.connect()
	c.send(call(2, "echo", strings.Repeat("x", 1000-len(call(2, "echo", "")))))
	c.wants(`"id":2`)
	c.ws.Close()
	r.endedAll()
}

// The limits are those of other requests: on calls at once, on the bytes of long messages, and on sessions.
func TestSocketLimits(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.Limits.PerClient, cfg.Limits.Requests, cfg.Limits.Clients, cfg.Limits.Bytes, cfg.Limits.RoomTime = 2, 6, 3, 2, time.Millisecond
	})
	one, two, other := r.connect(), r.connect(), r.connect(bearing(token2))
	if c, a := r.dialSocket("mcp"); c != nil {
		t.Error("one more connection than the limit")
	} else {
		r.wants(a, 503, "too many MCP sessions")
	}
	for _, c := range []*wire{one, two} {
		for i := range 2 {
			c.send(call(10+i, "wait", ""))
			if c == one || i == 0 {
				r.begun("")
			}
		}
	}
	one.send(call(20, "echo", ""))
	one.wants(`"id":20`, "too many requests open")
	two.wants(`"id":11`, "too many of your requests") // of both connections
	other.send(call(30, "echo", "others are served"))
	other.wants("others are served")
	// Each caller may send one long message at a time; beyond that, the message is still read.
	back, _ := r.s.bytes.take(tokenCaller(0, ""), 1)
	one.send(call(21, "echo", strings.Repeat("x", 100<<10)))
	one.wants(`"id":21`, "too many bytes")
	back()
	other.send(call(31, "echo", strings.Repeat("x", 100<<10)))
	other.wants(`"id":31`, "xxx")
	for _, c := range []*wire{one, two, other} {
		c.ws.Close()
	}
	for range 3 {
		r.begun("ended ")
	}
	r.endedAll()
	eventually(t, "all room to be given back", func() bool { return r.s.bytes.inUse() == 0 && r.s.requests.inUse() == 0 })
}

// Each connection is a separate client, whatever its token, and ends with everything it has. Its calls end with the cause.
func TestSocketSessions(t *testing.T) {
	causes, freed := make(chan error, 1), make(chan string, 10)
	r := newRig(t, func(cfg *Config) {
		cfg.Clients.Free = func(_ context.Context, client string) error { freed <- client; return nil }
		hooks := &server.Hooks{}
		cfg.Clients.Calls.Hook(hooks)
		cfg.MCP = server.NewMCPServer("toy", "1", server.WithHooks(hooks), server.WithToolCapabilities(false))
		cfg.MCP.AddTool(mcp.NewTool("who"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(tool.ClientOf(ctx)), nil
		})
		cfg.MCP.AddTool(mcp.NewTool("why"), cfg.Clients.Calls.Bound(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			causes <- nil
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}))
	})
	names := map[string]bool{}
	who := func(c *wire) string {
		c.send(call(2, "who", ""))
		text := c.next()
		names[text] = true
		return text
	}
	mine, second, theirs := r.connect(), r.connect(), r.connect(bearing(token2))
	a, b := who(mine), who(mine)
	test.Eq(t, b, a)
	test.StrContains(t, a, `"c-`)
	who(second)
	test.NotEq(t, "", who(theirs))
	test.MapLen(t, 3, names)

	second.send(call(5, "why", ""))
	<-causes
	note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"the user"}}`
	theirs.send(note)
	who(theirs)
	second.send(note)
	if got := <-causes; !errors.Is(got, tool.Cancelled{Reason: "the user"}) {
		t.Errorf("the cause of a cancelled call is %v", got)
	}
	mine.send(call(5, "why", ""))
	<-causes
	mine.ws.NetConn().Close() // without closing
	if got := <-causes; !errors.Is(got, tool.ErrDisconnected) {
		t.Errorf("the cause of a call whose connection is gone is %v", got)
	}
	if gone := <-freed; !strings.Contains(fmt.Sprint(names), gone) {
		t.Errorf("%q has left", gone)
	}
	eventually(t, "the end of the session", func() bool { return r.connections() == 2 })
	who(second)
	who(theirs)
}

// An issuer's token authorizes messages as long as it authorizes requests.
func TestSocketTokenExpires(t *testing.T) {
	r, i, c := newIssuerRig(t, nil)
	ada := r.connect(bearing(i.Token(t, "ada", public, nil)))
	bob := r.connect(basic(i.Token(t, "bob", public, nil)))
	static := r.connect()
	for _, client := range []*wire{ada, bob, static} {
		client.send(call(2, "echo", "known"))
		client.wants("known")
	}
	c.pass(24 * time.Hour)
	for _, client := range []*wire{ada, bob} {
		client.send(call(3, "echo", "known"))
		client.closes(websocket.ClosePolicyViolation, "the token has expired")
	}
	static.send(call(3, "echo", "still known"))
	static.wants("still known")
}

// When the server ends, its clients get the reason, after the answers to their calls.
func TestSocketServerEnds(t *testing.T) {
	r := newRig(t, nil)
	idle, busy := r.connect(), r.connect()
	busy.send(call(5, "wait", "long"))
	r.begun("long")
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	busy.wants(`"id":5`)
	busy.closes(websocket.CloseGoingAway, "the server ends")
	idle.closes(websocket.CloseGoingAway, "the server ends")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if got := r.connections(); got != 0 {
		t.Errorf("%d connections outlive the server", got)
	}
}

// A client that disappears without closing is detected within about a minute; one that is connected stays for days.
func TestSocketHalfOpen(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := newRig(t, nil)
		there := r.connect()
		_ = there.ws.SetReadDeadline(time.Time{}) // the deadline of its answer
		messages := make(chan string)
		go func() {
			defer close(messages)
			for {
				_, b, err := there.ws.ReadMessage() // answers pings
				if err != nil {
					return
				}
				messages <- string(b)
			}
		}()
		gone := r.connect() // reads nothing, not even pings
		began := time.Now()
		for r.connections() > 1 && time.Since(began) < time.Hour {
			time.Sleep(100 * time.Millisecond)
		}
		took := time.Since(began)
		test.GreaterEq(t, 50*time.Second, took)
		test.LessEq(t, 90*time.Second, took)
		gone.ws.Close()
		time.Sleep(48 * time.Hour)
		there.send(call(5, "echo", "still here"))
		if m := <-messages; !strings.Contains(m, "still here") {
			t.Errorf("%s", m)
		}
		there.ws.Close()
		<-messages
		r.endedAll()
	})
}

// A message has to arrive in time, whether or not pings are answered.
func TestSocketSlowMessage(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := newRig(t, nil)
		c := r.connect()
		w, err := c.ws.NextWriter(websocket.TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.Write([]byte(strings.Repeat(" ", 100<<10))); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		c.t = t
		c.ws.SetReadLimit(1 << 20)
		for err == nil { // answers pings
			_ = c.ws.SetReadDeadline(time.Now().Add(time.Hour))
			_, _, err = c.ws.ReadMessage()
		}
		took := time.Since(began)
		test.True(t, websocket.IsCloseError(err, websocket.ClosePolicyViolation))
		test.LessEq(t, 2*time.Minute, took)
		r.endedAll()
		if n := r.s.bytes.inUse(); n != 0 {
			t.Errorf("it holds room for %d bytes", n)
		}
	})
}

// A client that does not read is disconnected, and meanwhile uses no more than the limit.
func TestSocketUnread(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Limits.Unread = 4 << 20 })
		c := r.connect()
		began := time.Now()
		for i := range 20 {
			_ = c.ws.SetWriteDeadline(time.Now().Add(5 * time.Second)) // the server reads no further
			if err := c.ws.WriteMessage(websocket.TextMessage, []byte(call(10+i, "big", ""))); err != nil {
				break
			}
		}
		r.endedAll()
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("it was let go after %s", took)
		}
	})
}

// The server's own messages use the connection: progress before the answer, and questions.
func TestSocketServerSpeaks(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.MCP = server.NewMCPServer("toy", "1", server.WithToolCapabilities(true), server.WithElicitation())
		cfg.MCP.AddTool(mcp.NewTool("count"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			ctx = tool.WithProgress(ctx, req)
			for i := range 50 {
				tool.Progress(ctx, float64(i+1), "counting")
			}
			if err := cfg.MCP.SendNotificationToClient(ctx, "notifications/last", nil); err != nil {
				return nil, err
			}
			return mcp.NewToolResultText("counted"), nil
		})
		cfg.MCP.AddTool(mcp.NewTool("ask"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := cfg.MCP.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
				Message: "your name", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
			}})
			return mcp.NewToolResultText(fmt.Sprint(res, err)), nil
		})
		cfg.MCP.AddTool(mcp.NewTool("panic"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			panic("a mistake")
		})
	})
	c := r.connect()
	c.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","_meta":{"progressToken":"p"}}}`)
	for i := range 50 {
		c.wants("notifications/progress", fmt.Sprintf(`"progress":%d,`, i+1))
	}
	c.wants("notifications/last")
	c.wants(`"id":3`, "counted")

	c.send(call(4, "ask", ""))
	c.wants(`"elicitation/create"`, "your name", `"id":1`)
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"value":"Ada"}}}`)
	c.wants(`"id":4`, "Ada")
	c.send(call(5, "ask", ""))
	c.wants(`"elicitation/create"`, `"id":2`)
	c.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no user"}}`)
	c.wants(`"id":5`, "no user")
	// A question without a waiting call is cancelled.
	c.send(call(6, "ask", ""))
	c.wants(`"elicitation/create"`, `"id":3`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`)
	c.wants("notifications/cancelled", `"requestId":3`)
	c.wants(`"id":6`)
	c.send(call(7, "panic", ""))
	c.wants(`"id":7`, "internal error")
	c.send(call(8, "ask", ""))
	c.wants(`"elicitation/create"`)
	c.ws.Close()
	r.endedAll()
}

// The goroutines that serve WebSocket connections have ended when the server has.
func TestSocketsEndBeforeTheServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Write([]byte("GET / HTTP/1.1\r\nHost: test\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	var ended atomic.Bool
	socket := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		stop()
		<-stopped
		time.Sleep(50 * time.Millisecond)
		ended.Store(true)
		conn.Close()
	}
	if err := Connections(ctx, l, Config{Logger: slog.New(slog.DiscardHandler)}, http.HandlerFunc(socket), func(ctx context.Context) {
		<-ctx.Done()
		close(stopped)
	}); err != nil {
		t.Error(err)
	}
	if !ended.Load() {
		t.Error("the server has ended before the socket")
	}
}
