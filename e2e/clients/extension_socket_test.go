package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/e2e/kit"
)

// sockets checks that Jupyter authorizes WebSocket connections like requests, that both ends of them are passed on, and
// that a run outlives its connection.
func (s *site) sockets(t *testing.T) {
	at := s.URL + "/mcp/ws"
	with := func(name, value string) map[string]string {
		h := map[string]string{"Authorization": s.header["Authorization"]}
		h[name] = value
		return h
	}
	for name, refused := range map[string]struct {
		header    map[string]string
		protocols []string
		status    int
	}{
		"no token":         {map[string]string{}, []string{"mcp"}, 403},
		"a wrong token":    {with("Authorization", "token guess"), []string{"mcp"}, 403},
		"a foreign page":   {with("Origin", "https://evil.example"), []string{"mcp"}, 403},
		"no permission":    {with("X-May-Not", "execute kernels"), []string{"mcp"}, 403},
		"no protocol":      {s.header, nil, 400},
		"another protocol": {s.header, []string{"soap"}, 400},
	} {
		c, status := kit.DialSocket(t, at, refused.header, refused.protocols...)
		must.Nil(t, c, must.Sprint(name))
		test.Eq(t, refused.status, status, test.Sprint(name))
	}
	if status, text, err := s.ask(http.MethodGet, "/mcp/ws", "", nil); err != nil || status != 426 {
		t.Errorf("a plain request: status %d, %v: %s", status, err, text)
	}

	path := s.notebook("socket", kit.Code(fmt.Sprintf(kit.Gated, "socket")))
	c, _ := kit.DialSocket(t, at, s.header, "mcp")
	c.RunsOn(path, s.Path)

	long, _ := kit.DialSocket(t, at, s.header, "mcp")
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": strings.Repeat("x", 12<<20)}})
	must.NoError(t, err)
	must.NoError(t, long.WS.WriteMessage(websocket.TextMessage, text))
	long.Until(`"id":2`) // it is within the limit
	must.NoError(t, long.WS.WriteMessage(websocket.TextMessage, []byte(strings.Repeat(" ", 16<<20+1))))
	end := long.Closed()
	test.StrContains(t, end, "1009")
	test.StrContains(t, end, "longer than")
	binary, _ := kit.DialSocket(t, at, s.header, "mcp")
	must.NoError(t, binary.WS.WriteMessage(websocket.BinaryMessage, []byte("{}")))
	if end := binary.Closed(); !strings.Contains(end, "1003") {
		t.Errorf("a binary frame ends the connection with %s", end)
	}
}
