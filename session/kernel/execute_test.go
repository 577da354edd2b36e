package kernel

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The events of a cell arrive in order.
func TestExecuteEvents(t *testing.T) {
	srv := serverOf(t, jupytertest.Shared(t))
	c := connect(t, srv, startKernel(t, srv))
	for _, tt := range []struct {
		name, code string
		want       []string
		status     string
	}{
		{
			"print and result", "import sys\nprint('a')\nsys.stdout.flush()\nprint('b', file=sys.stderr)\nsys.stderr.flush()\nprint('c é 😀')\n6*7",
			[]string{"status busy", "input 1", "stdout a\n", "stderr b\n", "stdout c é 😀\n", "result 1 42", "status idle"},
			"ok",
		},
		{
			"displays", "h = display('one', display_id='d1')\nh.update('two')\ndisplay('three')",
			[]string{"status busy", "input 2", "display d1 'one'", "update d1 'two'", "display  'three'", "status idle"},
			"ok",
		},
		{
			"clear", "from IPython.display import clear_output\nprint('x')\nclear_output(wait=True)\nprint('y')\nclear_output()",
			[]string{"status busy", "input 3", "stdout x\n", "clear true", "stdout y\n", "clear false", "status idle"},
			"ok",
		},
		{
			"error", "print('before')\n1/0",
			[]string{"status busy", "input 4", "stdout before\n", "error ZeroDivisionError: division by zero", "status idle"},
			"error",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r recorder
			reply, err := c.Execute(testContext(t), Request{Code: tt.code, StoreHistory: true}, r.handle)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.all(); !slices.Equal(got, tt.want) {
				t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if reply.Status != tt.status {
				t.Errorf("status %q, want %q", reply.Status, tt.status)
			}
			if tt.status == "error" && (reply.Error == nil || reply.Error.Name != "ZeroDivisionError" || len(reply.Error.Traceback) == 0) {
				t.Errorf("reply.Error = %+v", reply.Error)
			}
		})
	}
	if got := stateOf(c); got != StateIdle {
		t.Errorf("state %q after the last request, want idle", got)
	}
}

// A cancelled caller returns; the kernel keeps running, and the next request gets only its own output.
func TestExecuteCancelled(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		c := connect(t, srv, startKernel(t, srv))
		ctx, cancel := context.WithCancel(testContext(t))
		_, err := c.Execute(ctx, Request{Code: "import time\nprint('here', flush=True)\ntime.sleep(0.5)\nprint('late')\ndone = 1"}, func(ev Event) {
			if _, ok := ev.(Stream); ok {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want context.Canceled", err)
		}
		var r recorder
		if _, err := c.Execute(testContext(t), Request{Code: "print(done)"}, r.handle); err != nil {
			t.Fatal(err)
		}
		if got := r.text(); got != "1\n" {
			t.Errorf("printed %q, want the second request's output alone, after the first has run on", got)
		}
	})
}

// Silent code shows nothing and is not counted; expressions are evaluated after it.
func TestExecuteSilentWithExpressions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		c := connect(t, srv, startKernel(t, srv))
		var r recorder
		reply, err := c.Execute(testContext(t), Request{
			Code: "x = 20\nx", Silent: true, StoreHistory: true,
			UserExpressions: map[string]string{"twice": "2*x", "bad": "1/0"},
		}, r.handle)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.all(); !slices.Equal(got, []string{"status busy", "status idle"}) {
			t.Errorf("events %q, want none but the status", got)
		}
		twice, _ := reply.UserExpressions["twice"].(map[string]any)
		data, _ := twice["data"].(map[string]any)
		test.EqOp[any](t, "ok", twice["status"])
		test.EqOp[any](t, "40", data["text/plain"])
		bad, _ := reply.UserExpressions["bad"].(map[string]any)
		test.EqOp[any](t, "error", bad["status"])
		test.EqOp[any](t, "ZeroDivisionError", bad["ename"])
		var after recorder
		if _, err := c.Execute(testContext(t), Request{Code: "1", StoreHistory: true}, after.handle); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(after.all(), "result 1 1") {
			t.Errorf("events %q after silent code, want the result to be number 1", after.all())
		}
	})
}

// Several requests at once, from two clients of one kernel: each gets only its own output, and the failure of one cancels
// no others.
func TestExecuteDistinguished(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		id := startKernel(t, srv)
		mine, other := connect(t, srv, id), connect(t, srv, id)
		const each = 8
		texts := make([]string, 2*each)
		errs := make(chan error, len(texts))
		for i := range texts {
			c := mine
			if i%2 == 1 {
				c = other
			}
			go func() {
				var r recorder
				code := fmt.Sprintf("for i in range(20): print(%d, end=' ', flush=True)\nif %d %% 5 == 0: raise ValueError(%d)", i, i, i)
				reply, err := c.Execute(testContext(t), Request{Code: code}, r.handle)
				texts[i] = r.text()
				if err == nil && (reply.Status == "error") != (i%5 == 0) {
					err = fmt.Errorf("request %d: reply %+v", i, reply)
				}
				errs <- err
			}()
		}
		for range texts {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		for i, got := range texts {
			if want := strings.Repeat(fmt.Sprintf("%d ", i), 20); got != want {
				t.Errorf("request %d printed %q", i, got)
			}
		}
	})
}

// While the other client's code runs, the kernel is busy for this one too, which gets none of its events.
func TestStateCountsOthers(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		id := startKernel(t, srv)
		mine, other := connect(t, srv, id), connect(t, srv, id)
		pid, run := running(t, other)
		if pid == 0 {
			t.Fatal("no process id")
		}
		waitState(t, mine, StateBusy)
		waitTold(t, srv, id, StateBusy)
		// A third connection makes the kernel answer on its control channel, busy and idle, in the middle of the work.
		third := connect(t, srv, id)
		if _, err := third.LanguageInfo(testContext(t)); err != nil {
			t.Fatal(err)
		}
		ctx := testContext(t)
		for third.atWork() > 1 && ctx.Err() == nil { // until the end of that has arrived as well
			time.Sleep(time.Millisecond)
		}
		test.Eq(t, StateBusy, stateOf(third))
		test.Eq(t, StateBusy, stateOf(mine))
		if err := srv.Kernels.Interrupt(testContext(t), id); err != nil {
			t.Fatal(err)
		}
		if err := await(t, "the other's code", run); !wasInterrupted(err) {
			t.Fatal(err)
		}
		waitState(t, mine, StateIdle)
		waitState(t, third, StateIdle)
	})
}

// atWork returns how many requests the kernel is running, as far as is known.
func (c *Conn) atWork() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.state.busy)
}

// waitTold waits until the server reports the kernel's state: it tracks the kernel itself, and is sometimes late.
func waitTold(t *testing.T, srv *jupyter.Server, kernelID, want string) {
	t.Helper()
	waitKernel(t, srv, kernelID, func(k jupyter.Kernel) bool { return k.ExecutionState == want })
}

func stateOf(c *Conn) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.state
}

func waitState(t *testing.T, c *Conn, want string) {
	t.Helper()
	ctx := testContext(t)
	for stateOf(c) != want {
		select {
		case <-ctx.Done():
			t.Fatalf("state %q, want %q", stateOf(c), want)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A handler that is slower than the kernel still gets every event.
func TestExecuteSlowHandler(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		c := connect(t, srv, startKernel(t, srv))
		const lines = 300
		var got strings.Builder
		_, err := c.Execute(testContext(t), Request{
			Code: fmt.Sprintf("for i in range(%d): print(i, flush=True)", lines),
		}, func(ev Event) {
			if s, ok := ev.(Stream); ok {
				got.WriteString(s.Text)
				time.Sleep(time.Millisecond)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for i := range lines {
			fmt.Fprintln(&want, i)
		}
		if got.String() != want.String() {
			t.Errorf("%d bytes of %d arrived", got.Len(), want.Len())
		}
	})
}

// Output that the server drops is reported, and is distinguished from a program that prints the server's text.
func TestRateLimited(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		c := connect(t, srv, startKernel(t, srv))
		var r recorder
		if _, err := c.Execute(testContext(t), Request{Code: "for i in range(8): print('x' * 1_000_000, flush=True)\n'end'"}, r.handle); err != nil {
			t.Fatal(err)
		}
		got := r.all()
		if !slices.Contains(got, "limited") {
			t.Error("eight megabytes at once, and no notice of dropped output")
		}
		if len(r.text()) >= 8_000_000 {
			t.Error("nothing was dropped: the test shows nothing")
		}
		var honest recorder
		if _, err := c.Execute(testContext(t), Request{Code: "import sys\nprint('IOPub data rate exceeded.', file=sys.stderr)"}, honest.handle); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(honest.all(), "stderr IOPub data rate exceeded.\n") {
			t.Errorf("a program's own words came as %q", honest.all())
		}
	})
}

// Numbers keep their kind, and a display of many megabytes arrives whole.
func TestDisplayData(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		c := connect(t, srv, startKernel(t, srv))
		var shown []Display
		_, err := c.Execute(testContext(t), Request{Code: `from IPython.display import publish_display_data
publish_display_data({'application/json': {'i': 9007199254740993, 'f': 1.0, 'n': None, 'l': [1, 2.5, 'é']}}, metadata={'width': 3})
publish_display_data({'text/plain': 'y' * 9_000_000})`}, func(ev Event) {
			if d, ok := ev.(Display); ok {
				shown = append(shown, d)
			}
		})
		must.NoError(t, err)
		must.SliceLen(t, 2, shown)
		want := map[string]any{"i": 9007199254740993, "f": 1.0, "n": nil, "l": []any{1, 2.5, "é"}}
		if got := shown[0].Data["application/json"]; !reflect.DeepEqual(got, want) {
			t.Errorf("data %#v, want %#v", got, want)
		}
		if !reflect.DeepEqual(shown[0].Metadata, map[string]any{"width": 3}) {
			t.Errorf("metadata %#v", shown[0].Metadata)
		}
		if s, _ := shown[1].Data["text/plain"].(string); len(s) != 9_000_000 {
			t.Errorf("%d bytes of nine million arrived", len(s))
		}
	})
}
