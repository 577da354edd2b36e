package program_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// wire is nbduet with its bare standard streams. One goroutine reads its
// output until the end; quit waits for it.
type wire struct {
	*agent.Process
	t    *testing.T
	read chan error // the end of reading
}

// spawn starts nbduet for the shared server with a full log.
func spawn(t *testing.T, args ...string) *wire {
	t.Helper()
	file := kit.Binary(t)
	p, err := agent.Spawn(agent.Options{Binary: file, Args: args, Env: append(kit.AgentEnv(t), "LOG_LEVEL=debug")})
	must.NoError(t, err)
	w := &wire{Process: p, t: t, read: make(chan error, 1)}
	go func() {
		_, err := io.Copy(io.Discard, p.Stdout)
		w.read <- err
	}()
	t.Cleanup(p.Kill)
	return w
}

// send writes one line to the program.
func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.Stdin, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// hello is the old handshake.
func (w *wire) hello() {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`)
	w.answered(`"hello"`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// call sends a tool call.
func (w *wire) call(id int, tool string, args map[string]any) {
	w.t.Helper()
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args},
	})
	must.NoError(w.t, err)
	w.send(string(line))
}

// message has the common fields of JSON-RPC messages.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// messages returns all messages on the program's output so far; its error quotes an invalid line. The last line may be
// incomplete, unless whole is set.
func (w *wire) messages(whole bool) ([]message, error) {
	out := w.Output()
	if end := bytes.LastIndexByte(out, '\n'); end+1 < len(out) {
		if whole {
			return nil, fmt.Errorf("the output ends within a line: %q", out[end+1:])
		}
		out = out[:end+1]
	}
	var list []message
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.Version != "2.0" {
			return nil, fmt.Errorf("not a JSON-RPC message on stdout: %q (%w)", lines.Text(), err)
		}
		if m.Method == "" && (m.ID == nil || (m.Result == nil) == (m.Error == nil)) {
			return nil, fmt.Errorf("neither request, notification nor response on stdout: %q", lines.Text())
		}
		list = append(list, m)
	}
	return list, nil
}

// answered waits for the response to a request and returns it.
func (w *wire) answered(id string) message {
	w.t.Helper()
	var found message
	must.NoError(w.t, poll.Until(w.t.Context(), "the response to request "+id, func(context.Context) error {
		list, err := w.messages(false)
		if err != nil {
			return err
		}
		for _, m := range list {
			if m.Method == "" && string(m.ID) == id {
				found = m
				return nil
			}
		}
		return fmt.Errorf("%d messages; the log:\n%s", len(list), w.Log())
	}))
	return found
}

// quit waits for the program to exit and checks for exit code 0, only whole messages on stdout, no race and no panic.
func (w *wire) quit() {
	w.t.Helper()
	code, err := w.Wait(kit.ExitLimit)
	must.NoError(w.t, err)
	must.NoError(w.t, <-w.read)
	if code != 0 {
		w.t.Errorf("exit code %d", code)
	}
	if _, err := w.messages(true); err != nil {
		w.t.Error(err)
	}
	for _, bad := range []string{"DATA RACE", "panic", "goroutine ", kit.Jupyter(w.t).Token} {
		if strings.Contains(w.Log(), bad) {
			w.t.Errorf("the log holds %q", bad)
		}
	}
	if w.t.Failed() {
		w.t.Logf("the log of nbduet:\n%s", w.Log())
	}
}

// stdout carries only MCP for any input: answers, tool errors, protocol errors, lines that are not JSON; the logs go to
// stderr.
func TestStdoutIsOnlyMCP(t *testing.T) {
	path := kit.NewNotebook(t, kit.Code("1"), kit.Code("print('from the kernel')"))
	w := spawn(t)
	w.hello()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	w.call(2, "get_base_url", nil)
	w.call(3, "read_nb_cells", map[string]any{"path": path})
	w.call(4, "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 0, "end": 2}}})
	w.call(5, "read_nb_cells", map[string]any{"path": "no/such/notebook.ipynb"})
	w.call(6, "read_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 99}}})
	w.call(7, "no_such_tool", nil)
	w.send(`{"jsonrpc":"2.0","id":8,"method":"no/such/method"}`)
	w.send(`this is not JSON`)
	w.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":"not an object"}`)
	w.send(``)
	w.call(10, "query_nb_sessions", nil)
	for id, wantError := range map[string]bool{"1": false, "2": false, "3": false, "4": false, "5": false, "6": false, "7": true, "8": true, "9": true, "10": false} {
		if m := w.answered(id); (m.Error != nil) != wantError {
			t.Errorf("request %s was answered with %s%s", id, m.Result, m.Error)
		}
	}
	for _, id := range []string{"5", "6"} {
		if m := w.answered(id); !bytes.Contains(m.Result, []byte(`"isError":true`)) {
			t.Errorf("request %s was answered with %s, want a tool error", id, m.Result)
		}
	}
	must.NoError(t, w.Stdin.Close())
	w.quit()
	if !strings.Contains(w.Log(), "execute_nb_cells") {
		t.Errorf("nothing of what was logged is on stderr:\n%s", w.Log())
	}
}

// The program exits cleanly, even while a cell runs, when the client closes its input and on a signal. Every edit that
// was answered as done is on disk.
func TestEndsCleanly(t *testing.T) {
	for name, end := range map[string]func(*wire) error{
		"closed stdin": func(w *wire) error { return w.Stdin.Close() },
		"SIGTERM":      func(w *wire) error { return w.Signal(syscall.SIGTERM) },
		"SIGINT":       func(w *wire) error { return w.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("idle", func(t *testing.T) {
				w := spawn(t)
				w.hello()
				must.NoError(t, end(w))
				w.quit()
			})
			t.Run("running", func(t *testing.T) {
				path := kit.NewNotebook(t, kit.Code(fmt.Sprintf("print('runs')\nimport time\ntime.sleep(%d)", 600)))
				w := spawn(t)
				w.hello()
				w.call(1, "insert_nb_cells", kit.Insert(path, 1, false, "kept = True"))
				w.answered("1")
				w.call(2, "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 0}}})
				id := 2
				must.NoError(t, poll.Until(t.Context(), "the cell to run", func(context.Context) error {
					id++
					w.call(id, "read_nb_cells", map[string]any{"path": path})
					if m := w.answered(fmt.Sprint(id)); !bytes.Contains(m.Result, []byte(`runs\\n`)) {
						return fmt.Errorf("%s", m.Result)
					}
					return nil
				}))
				must.NoError(t, end(w))
				w.quit()
				cells, err := kit.OnDisk(t, path)
				must.NoError(t, err)
				must.SliceLen(t, 2, cells)
				test.Eq(t, "kept = True", cells[1].Source)
			})
		})
	}
}

// The program exits when the client is gone, with both pipes.
func TestClientGone(t *testing.T) {
	file := kit.Binary(t)
	p, err := agent.Spawn(agent.Options{Binary: file, Env: kit.AgentEnv(t)})
	must.NoError(t, err)
	t.Cleanup(p.Kill)
	_, err = io.WriteString(p.Stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"gone","version":"1"}}}`+"\n")
	must.NoError(t, err)
	_, err = p.Stdout.Read(make([]byte, 1))
	must.NoError(t, err)
	must.NoError(t, errors.Join(p.CloseOutput(), p.Stdin.Close()))
	_, err = p.Wait(kit.ExitLimit)
	must.NoError(t, err)
}

// The program supports clients of both of MCP's eras.
func TestProtocolRevisions(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			a := kit.StartAgentAs(t, agent.Options{Protocol: revision})
			names, err := a.Tools(t.Context())
			must.NoError(t, err)
			for _, want := range []string{
				"list_nbs", "read_nb_cells", "insert_nb_cells", "modify_nb_cells", "edit_text", "search",
				"delete_nb_cells", "execute_nb_cells", "run_code", "watch_runs", "find_tools", "call_tool",
			} {
				if !slices.Contains(names, want) {
					t.Errorf("there is no tool %s among %q", want, names)
				}
			}
			var base struct {
				URL string `json:"base_url"`
			}
			_, err = a.Do(t.Context(), "get_base_url", nil, &base)
			must.NoError(t, err)
			if base.URL != kit.Jupyter(t).URL {
				t.Errorf("the base URL is %q, want %q", base.URL, kit.Jupyter(t).URL)
			}
		})
	}
}
