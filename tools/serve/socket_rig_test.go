package serve

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// wire is a WebSocket client.
type wire struct {
	t  *testing.T
	ws *websocket.Conn
}

// dialSocket asks for a connection. It returns nil if the answer is a refusal.
func (r *rig) dialSocket(protocols string, changes ...change) (*wire, answer) {
	r.t.Helper()
	req := r.request(r.t.Context(), http.MethodGet, socketPath, "", changes...)
	header := req.Header
	if protocols != "" {
		header.Set("Sec-WebSocket-Protocol", protocols)
	}
	if req.Host != "" && !strings.HasSuffix(r.url, req.Host) {
		header.Set("Host", req.Host)
	}
	d := websocket.Dialer{NetDialContext: r.dials, TLSClientConfig: r.tls}
	ws, res, err := d.DialContext(r.t.Context(), "ws"+strings.TrimPrefix(r.url, "http")+socketPath, header)
	if err != nil && !errors.Is(err, websocket.ErrBadHandshake) {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if err != nil {
		b, _ := io.ReadAll(res.Body)
		a.body = string(b)
		return nil, a
	}
	r.t.Cleanup(func() { ws.Close() })
	return &wire{r.t, ws}, a
}

// connect opens a connection and initializes.
func (r *rig) connect(changes ...change) *wire {
	r.t.Helper()
	c, a := r.dialSocket("mcp", changes...)
	must.NotNil(r.t, c)
	must.Eq(r.t, "mcp", a.header.Get("Sec-WebSocket-Protocol"))
	c.send(hello)
	c.wants(`"serverInfo"`)
	return c
}

func (c *wire) send(text string) {
	c.t.Helper()
	if err := c.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next message.
func (c *wire) next() string {
	c.t.Helper()
	_ = c.ws.SetReadDeadline(time.Now().Add(time.Minute))
	kind, b, err := c.ws.ReadMessage()
	must.NoError(c.t, err)
	must.Eq(c.t, websocket.TextMessage, kind)
	must.True(c.t, json.Valid(b))
	return string(b)
}

// wants reads the next message, which has to contain all these texts.
func (c *wire) wants(says ...string) {
	c.t.Helper()
	got := c.next()
	for _, want := range says {
		if !strings.Contains(got, want) {
			c.t.Errorf("%q is not in %.300s", want, got)
		}
	}
}

// closes reads to the end, which has to have that code and text.
func (c *wire) closes(code int, says string) {
	c.t.Helper()
	_ = c.ws.SetReadDeadline(time.Now().Add(time.Minute))
	for {
		_, _, err := c.ws.ReadMessage()
		if err == nil {
			continue
		}
		var end *websocket.CloseError
		must.True(c.t, errors.As(err, &end))
		test.Eq(c.t, code, end.Code)
		test.StrContains(c.t, end.Text, says)
		return
	}
}

// connections returns the number of sessions that are connections.
func (r *rig) connections() int {
	_, streams := r.s.sessions.count()
	return streams
}

// endedAll waits for the end of all connections.
func (r *rig) endedAll() {
	r.t.Helper()
	eventually(r.t, "the connections' ends", func() bool { return r.connections() == 0 })
}

// refusesBinary sends a binary frame, which ends the connection.
func (c *wire) refusesBinary() {
	c.t.Helper()
	if err := c.ws.WriteMessage(websocket.BinaryMessage, nil); err != nil {
		c.t.Error(err)
	}
	c.closes(websocket.CloseUnsupportedData, "text frames")
}
