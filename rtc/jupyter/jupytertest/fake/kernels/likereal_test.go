package kernels_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/kernels"
)

var update = flag.Bool("update", false, "write what the real server sends to testdata")

// cells are run in both kernels, each with additional members of its request.
var cells = []struct {
	code string
	more []any
}{
	{"import sys\nprint('out', flush=True)\nprint('err', file=sys.stderr, flush=True)\n6*7", nil},
	{"1/0", nil},
	{"def f(n):\n    if not n: raise KeyError('bottom')\n    f(n - 1)\nf(2)", nil},
	{"'not counted'", []any{"store_history", false}},
	{"def broken(:", nil},
	{"x = 20\nx", []any{"silent", true, "store_history", false, "user_expressions", map[string]string{"twice": "2*x", "bad": "1/0"}}},
	{"h = display('one', display_id='d')\nh.update('two')\nprint('between')\ndisplay({'text/plain': 'raw', 'application/x-own+json': {'f': 1.0}}, raw=True)", nil},
	{"from IPython.display import clear_output, HTML, JSON\nclear_output(wait=True)\ndisplay(HTML('<b>x</b>'), JSON({'a': [1, None]}))\nclear_output()", nil},
	{"print('hello', input('Name? '))\nimport getpass\nlen(getpass.getpass('Key: '))", []any{"allow_stdin", true}},
	{"'x' in globals(), 'nosuch' in globals(), 2 in [1]", nil},
	{"get_ipython().set_next_input('x = 1')", nil},
	{"from comm import create_comm\nc = create_comm(target_name='x', data={'a': 1})\nc.send({'b': 2}, buffers=[b'bytes'])\nc.close()", nil},
	{"def g():\n    raise ValueError('é') # why\n\ng()\n", nil},
	{"{'a': 1}['b']", nil},
	{"{'a': 1, 'b': [2, 3]}, set([1, 2]), 1.5, 1_000, 'é', b'bytes', None, (1,)", nil},
	{"print(nosuch)", nil},
	{"import os; os.environ.get('NO_SUCH', 'none');", nil},
	{"", nil},
}

// exchange is a kernel's messages for one cell, by channel, because the order between channels is random.
type exchange struct {
	Code     string              `json:"code"`
	Messages map[string][]string `json:"messages"`
}

var volatile = regexp.MustCompile(`ipykernel_\d+|[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}|(?:/[^":\\]*)?IPython/core/`)

// line is a message in comparable form: its type, content, the names in its metadata and its buffers.
func (r received) line() string {
	b, err := json.Marshal(r.Content)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%s %s %v %d", r.Header.Type, volatile.ReplaceAllString(string(b), "…"), slices.Sorted(maps.Keys(r.Meta)), len(r.Buffers))
}

// converse runs the cells one by one.
func converse(t *testing.T, c *client) []exchange {
	var out []exchange
	for i, cell := range cells {
		id := fmt.Sprintf("cell%d", i)
		c.execute(id, cell.code, cell.more...)
		sent := map[string][]received{}
		for begun := time.Now(); !c.collect(id, sent); time.Sleep(5 * time.Millisecond) {
			if time.Since(begun) > 30*time.Second {
				t.Fatalf("%q: no end after %v", cell.code, sent)
			}
		}
		messages := map[string][]string{}
		for channel, list := range sent {
			messages[channel] = told(list)
		}
		out = append(out, exchange{cell.code, messages})
	}
	return out
}

// told returns the lines of messages. Adjacent texts of one stream are joined, because a kernel splits them randomly.
func told(list []received) (lines []string) {
	var joined []received
	for _, r := range list {
		if n := len(joined); r.Header.Type == "stream" && n > 0 && joined[n-1].Header.Type == "stream" && joined[n-1].Content["name"] == r.Content["name"] {
			joined[n-1].Content["text"] = fmt.Sprint(joined[n-1].Content["text"], r.Content["text"])
			continue
		}
		joined = append(joined, r)
	}
	for _, r := range joined {
		lines = append(lines, r.line())
	}
	return lines
}

// collect takes the messages received for a cell, answers its input requests, and reports whether it has ended.
func (c *client) collect(id string, into map[string][]received) bool {
	c.mu.Lock()
	list := c.received
	c.received = nil
	c.mu.Unlock()
	for _, r := range list {
		if r.Parent.ID != id {
			continue
		}
		into[r.Channel] = append(into[r.Channel], r)
		if r.Channel == "stdin" {
			c.send("stdin", "input_reply", id+"answer", map[string]string{"value": "Ada", "status": "ok"}, r.Header)
		}
	}
	idle := slices.ContainsFunc(into["iopub"], func(r received) bool { return r.Content["execution_state"] == "idle" })
	return idle && len(into["shell"]) > 0
}

// The fake sends a real kernel's messages, one by one. They come from the server in the environment, if there is one,
// else from testdata.
func TestLikeTheRealOne(t *testing.T) {
	file := filepath.Join("testdata", "exchanges.json")
	var want []exchange
	if os.Getenv("NBDUET_TEST_SERVER_URL") != "" {
		want = converse(t, realKernel(t))
	} else if b, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if *update {
		b, err := json.MarshalIndent(want, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(b, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		got := converse(t, f.connect(f.start(), "s"))
		for i := range max(len(got), len(want)) {
			must.Less(t, len(want), i)
			must.Less(t, len(got), i)
			must.Eq(t, want[i].Code, got[i].Code)
			for _, channel := range []string{"iopub", "shell", "stdin"} {
				expect(t, fmt.Sprintf("%q on %s", got[i].Code, channel), got[i].Messages[channel], want[i].Messages[channel]...)
			}
		}
	})
}

// realKernel returns a connection to a new kernel of a real server.
func realKernel(t *testing.T) *client {
	server := jupytertest.Shared(t)
	srv, err := jupyter.New(jupyter.Options{URL: server.URL, Token: server.Token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	k, err := srv.Kernels.Start(t.Context(), "python3", jupyter.Path{})
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Authorization": {"token " + server.Token}}
	ws, resp, err := websocket.DefaultDialer.DialContext(t.Context(),
		strings.Replace(server.URL, "http", "ws", 1)+"/api/kernels/"+k.ID+"/channels?session_id=like", header)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	c := newClient(t, ws, "like")
	t.Cleanup(func() {
		ws.Close()
		<-c.over
	})
	return c
}
