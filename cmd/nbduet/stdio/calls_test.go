package stdio

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"
)

// A long call that exceeds the limit with the others is refused under its id after a wait; if one of the others ends
// meanwhile, it is served.
func TestLongCallWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		out := newOutput(&written)
		c := newCallServer(server.NewMCPServer("test", "1"), out)
		c.bind(t.Context())
		long := []byte(`{"jsonrpc":"2.0","id":8,"method":"ping","params":{"x":"` + strings.Repeat("x", longCall) + `"}}`)
		if !c.enter(mostLong) {
			t.Fatal("there is no room at first")
		}
		began := time.Now()
		c.serve(long, json.RawMessage("7"))
		if waited := time.Since(began); waited != longWait {
			t.Errorf("it waited %s", waited)
		}
		time.AfterFunc(time.Second, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.leave(mostLong)
		})
		c.serve(long, json.RawMessage("8"))
		if waited := time.Since(began) - longWait; waited != time.Second {
			t.Errorf("the next waited %s", waited)
		}
		<-c.close()
		if err := out.end(t.Context()); err != nil {
			t.Error(err)
		}
		refused := `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"16 MB of calls are being served, the most at a time: wait for answers, or send less at once"}}`
		got := written.String()
		test.StrContains(t, got, refused)
		test.StrContains(t, got, `"id":8,"result":{}`)
	})
}
