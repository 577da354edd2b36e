package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/tool"
)

// newTestInput is an input of messages of at most that many bytes, and a function that ends it and says what it refused.
func newTestInput(t *testing.T, r io.Reader, most int) (in *input, refused func() string) {
	t.Helper()
	var written bytes.Buffer
	out := newOutput(&written)
	end := sync.OnceFunc(func() {
		if err := out.end(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	in = newInput(r, out, &tool.Calls{})
	in.most = most
	return in, func() string {
		end()
		return written.String()
	}
}

// A message that is too long is refused under its id, and the next ones are read.
func TestRefusesAnEndlessMessage(t *testing.T) {
	const most = 200 << 10 // several pieces
	long := strings.Repeat(`\"id\":1,{[`, most/10)
	want, lines := "", ""
	for message, id := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":5,"a":"%s"}}`:                   "7",
		`{"jsonrpc":"2.0","method":"m","params":{"id":5,"a":["%s",{"id":1}]}, "id" : 8.50 }`: "8.50",
		`{"params":{"a":"%s"},"id":"a\"b"}`:                                                  `"a\"b"`,
		`{"params":{"a":"%s"},"i\u0064":9007199254740993}`:                                   "9007199254740993",
		`{"params":{"a":"%s"},"id":{"id":3}}`:                                                "null",
		`{"params":{"a":"%s"},"id":null}`:                                                    "null",
		`{"id":"%s"}`:                                                                        "null",
		`[{"id":1,"a":"%s"}]`:                                                                "null",
		`%s`:                                                                                 "null",
	} {
		lines += fmt.Sprintf(message, long) + "\n" + `{"next":1}` + "\n"
		want += fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"the message is longer than %d bytes"}}`, id, most) + "\n"
	}
	lines = strings.ReplaceAll(lines, `{"next":1}`, `"x"`) + `"end"`
	in, refused := newTestInput(t, strings.NewReader(lines), most)
	got, err := io.ReadAll(in)
	must.NoError(t, err, must.Sprint("passed on"))
	test.Eq(t, strings.Repeat("\"x\"\n", 9)+`"end"`, string(got), test.Sprint("passed on"))
	if got := refused(); got != want {
		t.Errorf("refused: %s\nwant: %s", got, want)
	}
	<-in.ended
	in, _ = newTestInput(t, io.LimitReader(endless{}, 3*most), most)
	n, err := io.Copy(io.Discard, in)
	test.Eq(t, 0, n)
	test.NoError(t, err)
	<-in.ended
	if in = newInput(nil, nil, nil); in.most != maxMessage {
		t.Error(in.most)
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// line sends a line and returns the answer, as it is.
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

// An id comes back as it was sent, and what is no request is not served as one.
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

// An answer that nothing waits for is dropped.
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

// What a client says when it cancels a call decides what becomes of the call's cell.
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
