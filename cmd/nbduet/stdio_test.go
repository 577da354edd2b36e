package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// line sends a line and returns the answer unchanged.
func (p *program) line(text string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// An id is returned as it was sent, and a message that is not a request is not served as one.
func TestIDs(t *testing.T) {
	clean(t)
	p := launch(t, "--jupyter-url=http://127.0.0.1:9", "--token=any-t0ken")
	p.initialize()
	for _, id := range []string{
		"2", "0", "-1", "-0", "1.5", "1.0", "1e3", "9007199254740991", "9007199254740992", "9007199254740993", "-9223372036854775808", "18446744073709551615",
		"123456789012345678901234567890", "1e400", `""`, `"a"`, `"2"`, `"<&>"`, `"\u00e9\/"`, `"\ud800"`, `"id-1"`,
	} {
		if got, want := p.line(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`), `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`; got != want {
			t.Errorf("answered %s, want %s", got, want)
		}
		want := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,`
		if got := p.line(`{"method":"none","id" : ` + id + ` , "jsonrpc":"2.0"}`); !strings.HasPrefix(got, want) {
			t.Errorf("answered %s, want %s", got, want)
		}
	}
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`:  `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":5}`:                    `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":6.0,"method":7}`:       `{"jsonrpc":"2.0","id":6.0,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":5,"method":null}`:      `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":5,"meth`:               `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`,
		`null`:                                        `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`,
	} {
		if got := p.line(message); !strings.HasPrefix(got, want) {
			t.Errorf("%s is answered %s, want %s", message, got, want)
		}
	}
	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
}

// An answer without a waiting request is dropped.
func TestStrayAnswers(t *testing.T) {
	clean(t)
	p := launch(t, "--jupyter-url=http://127.0.0.1:9", "--token=any-t0ken")
	p.initialize()
	for _, stray := range []string{
		`{"jsonrpc":"2.0","id":77,"error":{"code":-32000,"message":"too late"}}`,
		`{"jsonrpc":"2.0","id":77,"result":{"action":"accept"}}`,
		`{"jsonrpc":"2.0","id":77,"result":null}`,
		`{"jsonrpc":"2.0","id":77,"error":null}`,
		`{"jsonrpc":"2.0","id":"77","error":{"code":-32000,"message":"too late"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}}`,
		`{"id":77,"error":{}}`,
	} {
		if _, err := io.WriteString(p.in, stray+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.line(`{"jsonrpc":"2.0","id":77,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":77,"result":{}}` {
		t.Errorf("answered %s", got)
	}
	p.in.Close()
	code := p.end()
	test.Eq(t, exitOK, code)
	test.StrNotContains(t, p.all.String(), "error")
}

// The reason with which a client cancels a call decides whether the call's cell stops.
func TestCancelOverStdio(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	for name, c := range map[string]struct{ id, reason, state string }{
		"the host's time limit": {"9007199254740993", `"McpError: MCP error -32001: Request timed out"`, "running"},
		"no reason":             {`"a"`, "null", "running"},
		"the user's stop":       {"9007199254740993", `"AbortError: This operation was aborted"`, "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			path := s.Notebook(t, "import time\nprint('it runs', flush=True)\ntime.sleep(600)")
			t.Cleanup(func() { shutKernel(t, s, path) })
			p := launch(t, "--jupyter-url="+s.URL, "--token="+s.Token, "--state=:memory:", "--answers=json")
			p.initialize()
			call := `{"jsonrpc":"2.0","id":` + c.id + `,"method":"tools/call","params":{"name":"execute_nb_cells","arguments":{"path":"` + path + `","ranges":[{"start":0}],"timeout":600}}}`
			if _, err := io.WriteString(p.in, call+"\n"); err != nil {
				t.Fatal(err)
			}
			p.runs(10, "run-1")
			note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + c.id + `,"reason":` + c.reason + `}}`
			answer := p.line(note)
			test.StrHasPrefix(t, `{"jsonrpc":"2.0","id":`+c.id+`,`, answer)
			test.StrContains(t, answer, "the call was cancelled")
			text, failed := p.tool(5, "wait_run", map[string]any{"run_id": "run-1", "timeout": 0.5})
			test.False(t, failed, test.Sprint("the run"))
			test.StrContains(t, text, `"state":"`+c.state+`"`, test.Sprint("the run"))
			p.in.Close()
			if code := p.end(); code != exitOK {
				t.Errorf("exit code %d: %s", code, p.log.String())
			}
		})
	}
}

// If many calls of a client wait for a run, its other calls are still answered, and it can cancel.
func TestManyCallsWait(t *testing.T) {
	clean(t)
	s := jupytertest.Shared(t)
	path := s.Notebook(t, "import time\nprint('it runs', flush=True)\ntime.sleep(600)")
	t.Cleanup(func() { shutKernel(t, s, path) })
	p := launch(t, "--jupyter-url="+s.URL, "--token="+s.Token, "--state=:memory:") // its first run is run-1
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
