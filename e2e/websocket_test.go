package e2e_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/e2e/poll"
)

// socketURL is an address over HTTP as one over WebSocket.
func socketURL(at string) string { return "ws" + strings.TrimPrefix(at, "http") }

// socketClient is a client at a WebSocket that speaks for itself.
type socketClient struct {
	t  *testing.T
	ws *websocket.Conn
}

// dialSocket opens a connection; refused is the status where it is none.
func dialSocket(t *testing.T, at string, header map[string]string, protocols ...string) (c *socketClient, refused int) {
	t.Helper()
	h := http.Header{}
	for name, value := range header {
		h.Set(name, value)
	}
	d := websocket.Dialer{Subprotocols: protocols}
	ws, res, err := d.DialContext(t.Context(), socketURL(at), h)
	if err != nil {
		if res == nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return nil, res.StatusCode
	}
	defer res.Body.Close()
	t.Cleanup(func() { ws.Close() })
	c = &socketClient{t, ws}
	c.ask(1, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "wire", "version": "1"}})
	c.until(`"id":1`)
	return c, 0
}

func (c *socketClient) ask(id int, method string, params map[string]any) {
	c.t.Helper()
	must(c.t, c.ws.WriteJSON(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

// until reads messages up to one that says that.
func (c *socketClient) until(says string) string {
	c.t.Helper()
	must(c.t, c.ws.SetReadDeadline(time.Now().Add(2*time.Minute)))
	for {
		_, b, err := c.ws.ReadMessage()
		if err != nil {
			c.t.Fatalf("%v, where %q was to come", err, says)
		}
		if strings.Contains(string(b), says) {
			return string(b)
		}
	}
}

// closed reads on to the end, and returns its code and reason.
func (c *socketClient) closed() string {
	c.t.Helper()
	must(c.t, c.ws.SetReadDeadline(time.Now().Add(2*time.Minute)))
	for {
		if _, _, err := c.ws.ReadMessage(); err != nil {
			return err.Error()
		}
	}
}

// runsOn cuts the connection in the middle of a run: the cell's outputs come all the same.
func (c *socketClient) runsOn(path string, folder func(string) string) {
	c.t.Helper()
	name := strings.TrimSuffix(path, ".ipynb")
	call := func(id int, tool string, args map[string]any) {
		c.ask(id, "tools/call", map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{"progressToken": id}})
	}
	call(2, "execute_nb_cells", map[string]any{"path": path, "ranges": []any{at(0)}, "timeout": 600})
	c.until("line 0") // of its progress
	must(c.t, c.ws.NetConn().Close())
	for gate := 1; gate <= 3; gate++ {
		must(c.t, os.WriteFile(folder(fmt.Sprintf("%s-gate-%d", name, gate)), nil, 0o600))
	}
	must(c.t, poll.Until(c.t.Context(), "the outputs in the file", func(context.Context) error {
		b, err := os.ReadFile(folder(path))
		if err == nil && !strings.Contains(string(b), "line 2") {
			err = fmt.Errorf("%s", b)
		}
		return err
	}))
}

// A cut connection leaves the run that it has begun. The token is in the header, or in the address.
func TestWebSocketCut(t *testing.T) {
	w := startWeb(t, 1)
	at := w.url + "/mcp/ws"
	path := newNotebook(t, code("0"))
	must(t, os.WriteFile(jupyter.Path(path), notebookText(t, []cell{code(fmt.Sprintf(gated, strings.TrimSuffix(path, ".ipynb")))}), 0o600))
	c, _ := dialSocket(t, at, map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("any:"+w.tokens[0]))}, "mcp")
	c.runsOn(path, jupyter.Path)
	for want, header := range map[int]map[string]string{401: {}, 403: {"Authorization": "Bearer " + w.tokens[0], "Origin": "https://evil.example"}} {
		if c, status := dialSocket(t, at, header, "mcp"); c != nil || status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
}
