package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// However many calls of a client wait for a run, its others are answered, and it can cancel.
func TestManyCallsWait(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	path := s.Notebook(t, "import time\nprint('it runs', flush=True)\ntime.sleep(600)")
	t.Cleanup(func() { shutKernel(t, s, path) })
	p := launch(t, "--jupyter-url="+s.URL, "--token="+s.Token, "--state=:memory:") // whose first run is run-1
	p.initialize()
	send := func(id int, tool, arguments string) {
		t.Helper()
		if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments); err != nil {
			t.Fatal(err)
		}
	}
	const most = 150 // more than mcp-go's workers
	send(1000, "execute_nb_cells", fmt.Sprintf(`{"path":%q,"ranges":[{"start":0}],"timeout":600}`, path))
	p.runs(10, "run-1")
	for n := range most {
		send(1001+n, "wait_run", `{"run_id":"run-1","timeout":600}`)
	}
	for _, name := range []string{"list_nbs", "get_base_url"} {
		if text, failed := p.tool(3, name, nil); failed {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text, failed := p.tool(4, "read_nb_cells", map[string]any{"path": path}); failed {
		t.Errorf("read_nb_cells: %s", text)
	}
	if m := p.ask(5, "ping", nil); m["result"] == nil {
		t.Errorf("ping: %v", m)
	}
	if _, err := io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1001,"reason":"timeout"}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	open := map[float64]bool{1000: true, 6: true}
	for n := range most {
		open[float64(1001+n)] = true
	}
	next := func() float64 {
		t.Helper()
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID float64 `json:"id"`
		}
		err = json.Unmarshal([]byte(line), &m)
		must.NoError(t, err, must.Sprint(line))
		must.True(t, open[m.ID], must.Sprint(line))
		delete(open, m.ID)
		return m.ID
	}
	if id := next(); id != 1001 {
		t.Errorf("%v is answered, 1001 was cancelled", id)
	}
	send(6, "cancel_run", `{"run_id":"run-1"}`)
	for len(open) > 0 {
		next()
	}
	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
}

// A long call for which others leave no room is refused under its id when it has waited for that; one that is served
// meanwhile makes room for it.
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
