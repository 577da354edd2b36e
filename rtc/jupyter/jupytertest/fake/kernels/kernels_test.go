package kernels_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/kernels"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A kernel starts, greets a socket, and runs cells in order with their messages, in both formats.
func TestRun(t *testing.T) {
	for _, protocol := range []string{"", "v1.kernel.websocket.jupyter.org"} {
		inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
			begun := time.Now()
			id := f.start()
			if f.state(id) != "starting" {
				t.Errorf("state %s", f.state(id))
			}
			c := f.connect(id, "s", protocol)
			expect(t, "greeting", c.take(),
				"iopub status kernel_info_request: busy", "iopub status kernel_info_request: idle", "iopub status kernel_info_request: idle")
			test.Eq(t, 300*time.Millisecond, time.Since(begun))
			test.Eq(t, "idle", f.state(id))
			c.execute("1", "print('a')\n6*7")
			c.execute("2", "1/0")
			expect(t, "cells", c.take(),
				"iopub status 1: busy", "iopub execute_input 1:", "iopub stream 1: a", "iopub execute_result 1: 42", "shell execute_reply 1: ok", "iopub status 1: idle",
				"iopub status 2: busy", "iopub execute_input 2:", "iopub error 2: ZeroDivisionError", "shell execute_reply 2: error ZeroDivisionError", "iopub status 2: idle")
			c.send("control", "kernel_info_request", "3", map[string]any{}, nil)
			c.send("shell", "nonsense_request", "4", map[string]any{}, nil)
			expect(t, "others", c.take(), "iopub status 3: busy", "control kernel_info_reply 3: ok", "iopub status 3: idle",
				"iopub status 4: busy", "iopub status 4: idle")
		})
	}
}

// Messages on iopub go to all clients, a reply to the sender of the request. Unflushed text comes 0.2 s later.
func TestTwoClients(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		a := f.connect(id, "a")
		time.Sleep(time.Second) // the server sends "connected" before it has added a to the receivers
		b := f.connect(id, "b", "v1.kernel.websocket.jupyter.org")
		b.take()
		if got := a.take(); len(got) != 7 {
			t.Errorf("got the other connection's message: %q", got)
		}
		a.execute("1", "import time\nprint('now')\ntime.sleep(1)\nprint('late')")
		time.Sleep(100 * time.Millisecond)
		expect(t, "at once", a.take(), "iopub status 1: busy", "iopub execute_input 1:")
		if f.state(id) != "busy" {
			t.Errorf("state %s", f.state(id))
		}
		time.Sleep(150 * time.Millisecond)
		expect(t, "flushed", a.take(), "iopub stream 1: now")
		time.Sleep(time.Second)
		expect(t, "rest", a.take(), "iopub stream 1: late", "shell execute_reply 1: ok", "iopub status 1: idle")
		expect(t, "the other", b.take(), "iopub status 1: busy", "iopub execute_input 1:", "iopub stream 1: now", "iopub stream 1: late", "iopub status 1: idle")
		m, err := f.table.Get(id)
		must.NoError(t, err)
		test.Eq(t, 2, m.Connections)
	})
}

// A failure aborts the requests queued with it, if its request says so.
func TestStopOnError(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		c := f.connect(f.start(), "s")
		c.take()
		c.execute("0", "import time; time.sleep(1)")
		c.execute("1", "1/0", "stop_on_error", true)
		c.execute("2", "2")
		time.Sleep(2 * time.Second)
		c.execute("3", "3")
		var replies []string
		for _, line := range c.take() {
			if strings.HasPrefix(line, "shell") {
				replies = append(replies, line)
			}
		}
		expect(t, "replies", replies, "shell execute_reply 0: ok", "shell execute_reply 1: error ZeroDivisionError",
			"shell execute_reply 2: aborted", "shell execute_reply 3: ok")
	})
}

// Input is requested from the client that sent the cell.
func TestStdin(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		a, b := f.connect(id, "a"), f.connect(id, "b")
		a.take()
		b.take()
		a.execute("1", "print('hello', input('Name? '))", "allow_stdin", true)
		time.Sleep(time.Second)
		expect(t, "question", a.take(), "iopub status 1: busy", "iopub execute_input 1:", "stdin input_request 1: Name?")
		a.send("stdin", "input_reply", "2", map[string]string{"value": "Ada", "status": "ok"}, nil)
		expect(t, "answer", a.take(), "iopub stream 1: hello Ada", "shell execute_reply 1: ok", "iopub status 1: idle")
		expect(t, "the other", b.take(), "iopub status 1: busy", "iopub execute_input 1:", "iopub stream 1: hello Ada", "iopub status 1: idle")
		a.execute("3", "input()")
		if got := a.take(); !slices.Contains(got, "iopub error 3: StdinNotImplementedError") {
			t.Errorf("%q", got)
		}
	})
}

// An interrupt ends the running cell, not the queued ones.
func TestInterrupt(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		c := f.connect(id, "s")
		c.execute("1", "import time; time.sleep(600)")
		c.execute("2", "2")
		time.Sleep(time.Second)
		c.take()
		if err := f.table.Interrupt(id); err != nil {
			t.Error(err)
		}
		expect(t, "interrupted", c.take(), "iopub error 1: KeyboardInterrupt", "shell execute_reply 1: error KeyboardInterrupt", "iopub status 1: idle",
			"iopub status 2: busy", "iopub execute_input 2:", "iopub execute_result 2: 2", "shell execute_reply 2: ok", "iopub status 2: idle")
		if err := f.table.Interrupt("nobody"); !errors.Is(err, kernels.ErrNotFound) {
			t.Error(err)
		}
	})
}

// A restart gives no reply to running and queued requests, and connects the same socket to a new process.
func TestRestart(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		c := f.connect(id, "s")
		c.execute("1", "import time; x = 1; time.sleep(600)")
		c.execute("2", "2")
		time.Sleep(time.Second)
		c.take()
		if _, err := f.table.Restart(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		expect(t, "restart", c.take(), "iopub status shutdown_request: busy", "iopub error 1: KeyboardInterrupt", "iopub status 1: idle",
			"iopub shutdown_reply shutdown_request: ok", "iopub status shutdown_request: idle",
			"iopub status : starting", "iopub status kernel_info_request: busy", "iopub status kernel_info_request: idle")
		c.execute("3", "'x' in globals()")
		expect(t, "new", c.take(), "iopub status 3: busy", "iopub execute_input 3:", "iopub execute_result 3: False", "shell execute_reply 3: ok", "iopub status 3: idle")
	})
}

// A process that dies sends nothing more; 3 s later its death is noticed and it is replaced. Requests sent in between
// run then.
func TestDeath(t *testing.T) {
	for _, code := range []string{"import os; os._exit(3)", "import time; time.sleep(600)"} {
		inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
			id := f.start()
			c := f.connect(id, "s")
			c.take()
			c.execute("1", code)
			time.Sleep(time.Second)
			if strings.Contains(code, "sleep") {
				if err := f.table.Die(id); err != nil {
					t.Error(err)
				}
			}
			expect(t, "death", c.take(), "iopub status 1: busy", "iopub execute_input 1:")
			if f.state(id) != "busy" {
				t.Errorf("state %s", f.state(id))
			}
			c.execute("2", "2")
			time.Sleep(4 * time.Second)
			expect(t, "revival", c.take(), "iopub status : restarting", "iopub status : starting",
				"iopub status 2: busy", "iopub execute_input 2:", "iopub execute_result 2: 2", "shell execute_reply 2: ok", "iopub status 2: idle")
		})
	}
}

// A kernel that dies at each start is abandoned.
func TestDead(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		c := f.connect(id, "s")
		for i := range 6 {
			c.execute(fmt.Sprint(i), "import os; os._exit(1)")
			time.Sleep(5 * time.Second)
		}
		got := c.take()
		if got[len(got)-1] != "iopub status : dead" {
			t.Errorf("%q", got)
		}
		if _, err := f.table.Get(id); !errors.Is(err, kernels.ErrNotFound) {
			t.Error(err)
		}
	})
}

// A kernel that is shut down is gone; its socket stays open and silent.
func TestShutdown(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		c := f.connect(id, "s")
		c.take()
		if err := f.table.Shutdown(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		expect(t, "end", c.take(), "iopub status shutdown_request: busy", "iopub shutdown_reply shutdown_request: ok", "iopub status shutdown_request: idle")
		c.execute("1", "1")
		time.Sleep(time.Minute)
		expect(t, "silence", c.take())
		must.SliceEmpty(t, f.table.List())
		test.NoError(t, c.closed)
		d := websocket.Dialer{NetDialContext: f.pipes.dial}
		_, resp, err := d.DialContext(t.Context(), "ws://memory/"+id, nil)
		must.Error(t, err, must.Sprint("a connection"))
		test.Eq(t, http.StatusNotFound, resp.StatusCode, test.Sprint("a connection"))
		_ = resp.Body.Close()
	})
}

// Messages sent while no client is connected are kept for the last connected session; another session does not get
// them.
func TestBuffer(t *testing.T) {
	for session, want := range map[string][]string{
		"s": {"iopub stream 1: 2", "iopub execute_result 1: 'end'", "shell execute_reply 1: ok", "iopub status 1: idle"}, "other": {},
	} {
		inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
			id := f.start()
			c := f.connect(id, "s")
			c.execute("1", "import time\nprint(1, flush=True)\ntime.sleep(2)\nprint(2)\n'end'")
			time.Sleep(time.Second)
			c.ws.Close()
			time.Sleep(5 * time.Second)
			again := f.connect(id, session)
			expect(t, session, again.take(), append(want,
				"iopub status kernel_info_request: busy", "iopub status kernel_info_request: idle", "iopub status kernel_info_request: idle")...)
		})
	}
}

// A session that connects again closes its older socket.
func TestSameSession(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		old := f.connect(id, "s")
		f.connect(id, "s")
		<-old.over
		synctest.Wait()
		if !websocket.IsCloseError(old.closed, websocket.CloseNoStatusReceived) {
			t.Errorf("closed with %v", old.closed)
		}
		m, err := f.table.Get(id)
		must.NoError(t, err)
		test.Eq(t, 1, m.Connections)
	})
}

// Too much text, or too many messages, are not sent; the client is notified once. Displays may be large.
func TestRateLimit(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		c := f.connect(f.start(), "s")
		c.take()
		c.execute("1", "print('x' * 4_000_000)\ndisplay({'text/plain': 'y' * 9_000_000}, raw=True)")
		got := c.take()
		must.SliceLen(t, 6, got)
		test.StrHasPrefix(t, "iopub stream 1: IOPub data rate exceeded.\nThe Jupyter server", got[2])
		test.StrContains(t, got[2], "ServerApp.iopub_data_rate_limit=1000000.0 (bytes/sec)\n")
		test.GreaterEq(t, 9_000_000, len(got[3]))
		c.execute("2", "for i in range(6000): display(i)")
		got = c.take()
		must.SliceLen(t, 2+3000+1+2, got)
		test.StrContains(t, got[3002], "IOPub message rate exceeded.")
	})
}

// The server pings every 30 s, and a frame that is not a message ends the connection.
func TestSocket(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		c := f.connect(f.start(), "s")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		pings := c.pings.Load()
		test.GreaterEq(t, 19, pings)
		test.NoError(t, c.closed)
		if err := c.ws.WriteMessage(websocket.TextMessage, []byte("{")); err != nil {
			t.Error(err)
		}
		<-c.over
	})
}

// Buffers are sent with a message, in both formats.
func TestBuffers(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		id := f.start()
		for _, protocol := range []string{"", "v1.kernel.websocket.jupyter.org"} {
			c := f.connect(id, "s"+protocol, protocol)
			c.execute("1", "from comm import create_comm\ncreate_comm(target_name='x', data={'a': 1}, buffers=[b'1234', b'5'])\nNone")
			synctest.Wait()
			c.mu.Lock()
			i := slices.IndexFunc(c.received, func(r received) bool { return r.Header.Type == "comm_open" })
			test.GreaterEq(t, 0, i, test.Sprint(protocol))
			must.SliceLen(t, 2, c.received[i].Buffers, must.Sprint(protocol))
			test.Eq(t, "1234", string(c.received[i].Buffers[0]), test.Sprint(protocol))
			test.EqOp[any](t, "x", c.received[i].Content["target_name"], test.Sprint(protocol))
			c.mu.Unlock()
		}
	})
}

// The minor requests have answers.
func TestRequests(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		c := f.connect(f.start(), "s")
		for _, kind := range []string{"comm_info", "connect"} {
			c.send("shell", kind+"_request", kind, map[string]any{}, nil)
		}
		synctest.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		got := map[string]string{}
		for _, r := range c.received {
			if r.Channel == "shell" {
				b, _ := json.Marshal(r.Content)
				got[r.Parent.ID] = string(b)
			}
		}
		for kind, want := range map[string]string{
			"comm_info": `{"comms":{},"status":"ok"}`,
			"connect":   `{"status":"ok"}`,
		} {
			if got[kind] != want {
				t.Errorf("%s: %s, want %s", kind, got[kind], want)
			}
		}
	})
}

// A closed table cuts its connections, even while cells run.
func TestClose(t *testing.T) {
	inBubble(t, kernels.Config{}, func(t *testing.T, f *fixture) {
		c := f.connect(f.start(), "s")
		c.execute("1", "import time; time.sleep(600)")
		time.Sleep(time.Second)
		f.table.Close()
		<-c.over
		if websocket.IsCloseError(c.closed, websocket.CloseNormalClosure, websocket.CloseNoStatusReceived, websocket.CloseGoingAway) {
			t.Errorf("closed with a frame: %v", c.closed)
		}
		if _, err := f.table.Start(t.Context(), "", ""); !errors.Is(err, kernels.ErrClosed) {
			t.Error(err)
		}
	})
}
