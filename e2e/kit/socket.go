package kit

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/poll"
)

// SocketURL turns an http URL into a ws URL.
func SocketURL(at string) string { return "ws" + strings.TrimPrefix(at, "http") }

// Socket is a bare client over WebSocket.
type Socket struct {
	t  *testing.T
	WS *websocket.Conn
}

// DialSocket opens a connection; refused is the status if the server refuses it.
func DialSocket(t *testing.T, at string, header map[string]string, protocols ...string) (c *Socket, refused int) {
	t.Helper()
	h := http.Header{}
	for name, value := range header {
		h.Set(name, value)
	}
	d := websocket.Dialer{Subprotocols: protocols}
	ws, res, err := d.DialContext(t.Context(), SocketURL(at), h)
	if err != nil {
		if res == nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return nil, res.StatusCode
	}
	defer res.Body.Close()
	t.Cleanup(func() { ws.Close() })
	c = &Socket{t, ws}
	c.Ask(1, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "wire", "version": "1"}})
	c.Until(`"id":1`)
	return c, 0
}

// Ask sends a request.
func (c *Socket) Ask(id int, method string, params map[string]any) {
	c.t.Helper()
	must.NoError(c.t, c.WS.WriteJSON(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

// Until reads messages up to the first that contains a text.
func (c *Socket) Until(says string) string {
	c.t.Helper()
	must.NoError(c.t, c.WS.SetReadDeadline(time.Now().Add(2*time.Minute)))
	for {
		_, b, err := c.WS.ReadMessage()
		if err != nil {
			c.t.Fatalf("%v, where %q was to come", err, says)
		}
		if strings.Contains(string(b), says) {
			return string(b)
		}
	}
}

// Closed reads to the end and returns the close code and reason.
func (c *Socket) Closed() string {
	c.t.Helper()
	must.NoError(c.t, c.WS.SetReadDeadline(time.Now().Add(2*time.Minute)))
	for {
		if _, _, err := c.WS.ReadMessage(); err != nil {
			return err.Error()
		}
	}
}

// RunsOn cuts the connection during a run; the run's outputs still reach the file.
func (c *Socket) RunsOn(path string, folder func(string) string) {
	c.t.Helper()
	name := strings.TrimSuffix(path, ".ipynb")
	call := func(id int, tool string, args map[string]any) {
		c.Ask(id, "tools/call", map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{"progressToken": id}})
	}
	call(2, "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 0}}, "timeout": 600})
	c.Until("line 0") // a progress notification
	must.NoError(c.t, c.WS.NetConn().Close())
	for gate := 1; gate <= 3; gate++ {
		must.NoError(c.t, os.WriteFile(folder(fmt.Sprintf("%s-gate-%d", name, gate)), nil, 0o600))
	}
	must.NoError(c.t, poll.Until(c.t.Context(), "the outputs in the file", func(context.Context) error {
		b, err := os.ReadFile(folder(path))
		if err == nil && !strings.Contains(string(b), "line 2") {
			err = fmt.Errorf("%s", b)
		}
		return err
	}))
}
