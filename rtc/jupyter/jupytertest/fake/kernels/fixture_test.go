package kernels_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/kernels"
)

// pipes is a listener of connections in memory.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// fixture is a table behind a server.
type fixture struct {
	t     *testing.T
	table *kernels.Table
	pipes *pipes
}

// inBubble runs a test with a table, in a bubble.
func inBubble(t *testing.T, config kernels.Config, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	config.Root = t.TempDir()
	config.NotUnderstood = func(cell, word string) { t.Errorf("%s is not understood in the cell %q", word, cell) }
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{t: t, table: kernels.New(config), pipes: newPipes()}
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f.table.ServeChannels(w, r, strings.Trim(r.URL.Path, "/"))
		})}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = srv.Serve(f.pipes)
		}()
		fn(t, f)
		f.table.Close()
		srv.Close()
		<-served
		synctest.Wait()
	})
}

func (f *fixture) start() string {
	f.t.Helper()
	m, err := f.table.Start(f.t.Context(), "", "")
	if err != nil {
		f.t.Fatal(err)
	}
	return m.ID
}

func (f *fixture) state(id string) string {
	f.t.Helper()
	m, err := f.table.Get(id)
	if err != nil {
		f.t.Fatal(err)
	}
	return m.ExecutionState
}

// client is a connection to a kernel, with all received messages.
type client struct {
	t       testing.TB
	ws      *websocket.Conn
	session string
	over    chan struct{}
	pings   atomic.Int64

	mu       sync.Mutex
	received []received
	closed   error
}

// received is a message in the form that tests check.
type received struct {
	Channel string          `json:"channel"`
	Header  head            `json:"header"`
	Parent  head            `json:"parent_header"`
	Meta    map[string]any  `json:"metadata"`
	Content map[string]any  `json:"content"`
	Buffers [][]byte        `json:"-"`
	Raw     json.RawMessage `json:"-"`
}

type head struct {
	ID   string `json:"msg_id"`
	Type string `json:"msg_type"`
}

// String summarises the message: its channel, type, request, and content.
func (r received) String() string {
	what := ""
	for _, key := range []string{"execution_state", "text", "status", "ename", "prompt", "value"} {
		if v, ok := r.Content[key]; ok {
			what += " " + fmt.Sprint(v)
		}
	}
	if d, ok := r.Content["data"].(map[string]any); ok {
		what += fmt.Sprint(" ", d["text/plain"])
	}
	parent := r.Parent.ID
	if strings.Contains(parent, "_") {
		parent = r.Parent.Type
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s:%s", r.Channel, r.Header.Type, parent, what))
}

func (f *fixture) connect(id, session string, protocols ...string) *client {
	f.t.Helper()
	d := websocket.Dialer{NetDialContext: f.pipes.dial, Subprotocols: protocols}
	ws, resp, err := d.DialContext(f.t.Context(), "ws://memory/"+id+"?session_id="+url.QueryEscape(session), nil)
	if err != nil {
		f.t.Fatal(err)
	}
	resp.Body.Close()
	c := newClient(f.t, ws, session)
	f.t.Cleanup(func() { ws.Close() })
	return c
}

func newClient(t testing.TB, ws *websocket.Conn, session string) *client {
	c := &client{t: t, ws: ws, session: session, over: make(chan struct{})}
	ws.SetPingHandler(func(string) error {
		c.pings.Add(1)
		return ws.WriteControl(websocket.PongMessage, nil, time.Time{})
	})
	go c.read()
	return c
}

func (c *client) read() {
	defer close(c.over)
	for {
		kind, frame, err := c.ws.ReadMessage()
		c.mu.Lock()
		if err != nil {
			c.closed = err
			c.mu.Unlock()
			return
		}
		c.received = append(c.received, c.decode(kind, frame))
		c.mu.Unlock()
	}
}

// decode decodes frames of both forms.
func (c *client) decode(kind int, frame []byte) received {
	var r received
	text := frame
	if kind == websocket.BinaryMessage && c.ws.Subprotocol() != "" {
		parts := cutV1(frame)
		text = fmt.Appendf(nil, `{"channel":%q,"header":%s,"parent_header":%s,"metadata":%s,"content":%s}`, parts[0], parts[1], parts[2], parts[3], parts[4])
		r.Buffers = parts[5:]
	} else if kind == websocket.BinaryMessage {
		parts := cutLegacy(frame)
		text, r.Buffers = parts[0], parts[1:]
	}
	if err := json.Unmarshal(text, &r); err != nil {
		c.t.Errorf("%q: %v", text, err)
	}
	r.Raw = text
	return r
}

// send sends a request with an id; parent is the parent header of an answer.
func (c *client) send(channel, kind, id string, content any, parent any) {
	c.t.Helper()
	header := map[string]string{"msg_id": id, "msg_type": kind, "session": c.session, "username": "u", "date": "2026-01-01T00:00:00Z", "version": "5.4"}
	if parent == nil {
		parent = map[string]any{}
	}
	var err error
	if c.ws.Subprotocol() != "" {
		err = c.ws.WriteMessage(websocket.BinaryMessage, joinV1(channel, header, parent, content))
	} else {
		err = c.ws.WriteJSON(map[string]any{
			"channel": channel, "header": header, "parent_header": parent, "metadata": map[string]any{}, "content": content, "buffers": []any{},
		})
	}
	if err != nil {
		c.t.Error(err)
	}
}

// execute sends a cell; more are additional members of the request.
func (c *client) execute(id, code string, more ...any) {
	c.t.Helper()
	content := map[string]any{"code": code, "silent": false, "store_history": true, "allow_stdin": false, "stop_on_error": false}
	for i := 0; i+1 < len(more); i += 2 {
		content[more[i].(string)] = more[i+1]
	}
	c.send("shell", "execute_request", id, content, nil)
}

// take returns the messages received so far and removes them.
func (c *client) take() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, r := range c.received {
		out = append(out, r.String())
	}
	c.received = nil
	return out
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
