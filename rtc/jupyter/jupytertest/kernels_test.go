package jupytertest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The fake's kernels are interrupted, die, restart and are shared by several clients like the real server's.
// TestLikeTheRealOne of fake/kernels checks the outputs of cells.
func TestSameKernels(t *testing.T) {
	var got string
	jupytertest.Bubble(t, func(t *testing.T) { got = kernelLife(t, jupytertest.Start(t)) })
	asRecorded(t, "testdata/kernels.txt", got, func() string { return kernelLife(t, jupytertest.Shared(t)) })
}

// kernelLife takes a kernel through its life cycle, with two clients, and returns their messages.
func kernelLife(t *testing.T, s *jupytertest.Server) string {
	r := &kernelScript{t: t, s: s, http: s.HTTP()}
	if r.http == nil {
		r.http = &http.Client{Transport: &http.Transport{}}
	}
	defer r.http.CloseIdleConnections()
	r.kernel = memberOf(t, r.ask("POST", "/api/kernels", `{"name": "python3"}`, http.StatusCreated), "id")
	a, b := r.connect("a"), r.connect("b")
	r.alive(a, b)
	const forever = "import time\nprint('it runs', flush=True)\ntime.sleep(600)"

	r.step("both hear what one runs")
	a.execute("one", "kept = 1\nprint('one')")
	r.wait("one", a, b)
	r.step("the other one runs on the same variables")
	b.execute("two", "print(kept)")
	r.wait("two", b, a)

	r.step("interrupted")
	a.execute("three", forever)
	a.execute("four", "print('behind it')")
	a.until("stream", "it runs")
	r.ask("POST", "/api/kernels/"+r.kernel+"/interrupt", "", http.StatusNoContent)
	r.wait("three", a)
	r.wait("four", a)

	r.step("restarted")
	r.ask("POST", "/api/kernels/"+r.kernel+"/restart", "", http.StatusOK)
	r.alive(a, b)
	a.execute("five", "print('kept' in globals())")
	r.wait("five", a)

	r.step("dead, and started again by the server")
	a.execute("six", "import os\nos._exit(1)")
	for _, c := range []*kernelClient{a, b} {
		c.until("status", `"restarting"`)
		fmt.Fprintf(&r.out, "%s: reported the restart\n", c.name)
	}
	r.alive(a, b)
	a.execute("seven", "print('kept' in globals())")
	r.wait("seven", a, b)

	r.step("shut down")
	r.ask("DELETE", "/api/kernels/"+r.kernel, "", http.StatusNoContent)
	for _, c := range []*kernelClient{a, b} {
		c.until("shutdown_reply", "false")
		word := "stays"
		select {
		case <-c.over:
			word = "ends"
		case <-time.After(2 * time.Second):
		}
		fmt.Fprintf(&r.out, "%s: reported the shutdown; the connection %s\n", c.name, word)
	}
	return r.out.String()
}

// kernelScript is a series of actions on a kernel, with the results.
type kernelScript struct {
	t      *testing.T
	s      *jupytertest.Server
	http   *http.Client
	kernel string
	out    strings.Builder
	tries  int
}

func (r *kernelScript) step(name string) { fmt.Fprintf(&r.out, "## %s\n", name) }

// ask sends a request whose answer must have the given status.
func (r *kernelScript) ask(method, path, body string, status int) []byte {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.s.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+r.s.Token)
	res, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if res.StatusCode != status {
		r.t.Fatalf("%s %s: status %d, want %d: %s", method, path, res.StatusCode, status, b)
	}
	return b
}

// kernelClient is one connection to the kernel's channels.
type kernelClient struct {
	r    *kernelScript
	name string
	ws   *websocket.Conn
	over chan struct{} // closed when the server has ended the connection

	mu   sync.Mutex
	seen []kernelMessage
}

// kernelMessage is the recorded part of a message.
type kernelMessage struct {
	Header struct {
		Type string `json:"msg_type"`
	} `json:"header"`
	Parent struct {
		ID string `json:"msg_id"`
	} `json:"parent_header"`
	Channel string          `json:"channel"`
	Content json.RawMessage `json:"content"`
}

func (r *kernelScript) connect(name string) *kernelClient {
	r.t.Helper()
	d := websocket.Dialer{NetDialContext: jupytertest.Dial(r.t)}
	at := "ws" + strings.TrimPrefix(r.s.URL, "http") + "/api/kernels/" + r.kernel + "/channels?session_id=" + name
	ws, res, err := d.DialContext(r.t.Context(), at, http.Header{"Authorization": {"token " + r.s.Token}})
	if err != nil {
		r.t.Fatal(err)
	}
	res.Body.Close()
	c := &kernelClient{r: r, name: name, ws: ws, over: make(chan struct{})}
	go func() {
		defer close(c.over)
		for {
			_, b, err := ws.ReadMessage()
			if err != nil {
				return
			}
			var m kernelMessage
			if json.Unmarshal(b, &m) != nil {
				continue // its absence shows in the record
			}
			c.mu.Lock()
			c.seen = append(c.seen, m)
			c.mu.Unlock()
		}
	}()
	r.t.Cleanup(func() {
		ws.Close()
		<-c.over
	})
	return c
}

// execute requests that the kernel run code; id identifies the request.
func (c *kernelClient) execute(id, code string) {
	c.r.t.Helper()
	if err := c.ws.WriteJSON(map[string]any{
		"channel": "shell", "header": map[string]any{"msg_id": id, "msg_type": "execute_request", "username": "u", "session": c.name, "date": "2026-01-01T00:00:00Z", "version": "5.3"},
		"parent_header": map[string]any{}, "metadata": map[string]any{},
		"content": map[string]any{"code": code, "silent": false, "store_history": true, "user_expressions": map[string]any{}, "allow_stdin": false, "stop_on_error": false},
	}); err != nil {
		c.r.t.Fatal(err)
	}
}

// alive waits until the clients get all of the kernel's messages for the first: a server accepts a connection, and
// starts a process, before it listens to the kernel.
func (r *kernelScript) alive(own *kernelClient, others ...*kernelClient) {
	r.t.Helper()
	for range 100 {
		r.tries++
		id := fmt.Sprint("try ", r.tries)
		own.execute(id, "1")
		heard := func() bool {
			return own.idle(id, true) && !slices.ContainsFunc(others, func(c *kernelClient) bool { return !c.idle(id, false) })
		}
		for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if heard() {
				return
			}
		}
	}
	r.t.Fatalf("the kernel is not heard, after\n%s", r.out.String())
}

// await waits until so returns true.
func (r *kernelScript) await(what string, so func() bool) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited a minute for %s, after\n%s", what, r.out.String())
		}
	}
}

// until waits until the client gets a message of the given type with these words.
func (c *kernelClient) until(kind, words string) {
	c.r.t.Helper()
	c.r.await(fmt.Sprintf("a %s with %q at %s", kind, words, c.name), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.ContainsFunc(c.seen, func(m kernelMessage) bool {
			return m.Header.Type == kind && strings.Contains(string(m.Content), words)
		})
	})
}

// idle reports whether the client got all messages of a request: the idle status, and for its own request the reply.
func (c *kernelClient) idle(id string, own bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	idle, replied := false, !own
	for _, m := range c.seen {
		if m.Parent.ID == id {
			idle = idle || m.Header.Type == "status" && strings.Contains(string(m.Content), `"idle"`)
			replied = replied || m.Header.Type == "execute_reply"
		}
	}
	return idle && replied
}

// wait waits for the end of a request of the first client, and records each client's messages for it.
func (r *kernelScript) wait(id string, own *kernelClient, others ...*kernelClient) {
	r.t.Helper()
	for i, c := range append([]*kernelClient{own}, others...) {
		r.await("the end of "+id+" at "+c.name, func() bool { return c.idle(id, i == 0) })
		c.tell(id)
	}
}

// changing matches the parts that differ between kernels.
var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27,}|\d+\.\d+|ipykernel_\d+|"traceback":\[.*?\]|"execution_count":\d+`)

// tell records the client's messages for a request, by channel.
func (c *kernelClient) tell(id string) {
	for _, channel := range []string{"iopub", "shell"} {
		for _, m := range c.sent(id, channel) {
			for _, volatile := range []string{"traceback", "engine_info", "payload"} {
				delete(m.content, volatile)
			}
			b, _ := json.Marshal(m.content) // it was JSON
			fmt.Fprintf(&c.r.out, "%s %s %s: %s %s\n", c.name, id, channel, m.kind, changing.ReplaceAllString(string(b), "…"))
		}
	}
}

// sentMessage is a message in recorded form.
type sentMessage struct {
	kind    string
	content map[string]any
}

// sent returns the client's messages for a request on a channel. Adjacent texts of one stream are joined, because a
// kernel splits them randomly.
func (c *kernelClient) sent(id, channel string) (list []sentMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.seen {
		if m.Parent.ID != id || m.Channel != channel {
			continue
		}
		var content map[string]any
		if err := json.Unmarshal(m.Content, &content); err != nil {
			content = map[string]any{"broken": string(m.Content)}
		}
		if n := len(list); m.Header.Type == "stream" && n > 0 && list[n-1].kind == "stream" && list[n-1].content["name"] == content["name"] {
			list[n-1].content["text"] = fmt.Sprint(list[n-1].content["text"], content["text"])
			continue
		}
		list = append(list, sentMessage{m.Header.Type, content})
	}
	return list
}
