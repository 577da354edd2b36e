package kernel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// What a cell does arrives in the order in which it does it.
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
	if got := c.State(); got != StateIdle {
		t.Errorf("state %q after the last request, want idle", got)
	}
}

// A cancelled caller returns; the kernel goes on, and the next request is told of its own output alone.
func TestExecuteCancelled(t *testing.T) {
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
}
