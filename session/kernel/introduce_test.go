package kernel

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// First is evaluated before a process's first request, and not again until the process may have been replaced.
func TestFirst(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		c, err := dial(testContext(t), f.srv, "k", Options{}, quick())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		s := <-f.sockets
		status, first := "ok", "setup()"
		// gets executes code, and returns the kernel's requests.
		gets := func(code string) (all []string) {
			t.Helper()
			out := make(chan error, 1)
			go func() {
				_, err := c.Execute(testContext(t), Request{Code: code, First: first}, nil)
				out <- err
			}()
			for len(all) == 0 || all[len(all)-1] != code {
				req := s.receive()
				var content struct {
					Code        string            `json:"code"`
					Silent      bool              `json:"silent"`
					Expressions map[string]string `json:"user_expressions"`
				}
				if err := json.Unmarshal(req.content, &content); err != nil {
					t.Fatal(err)
				}
				s.status(StateBusy, req)
				answer := status
				if content.Silent && content.Code == "" {
					answer, content.Code = "ok", content.Expressions["first"]
				}
				s.send("shell", "execute_reply", req, map[string]any{"status": answer})
				s.status(StateIdle, req)
				all = append(all, content.Code)
			}
			if err := await(t, "the request", out); err != nil {
				t.Fatal(err)
			}
			return all
		}
		check := func(when, code string, want ...string) {
			t.Helper()
			if got := gets(code); !slices.Equal(got, want) {
				t.Errorf("%s the kernel got %q, want %q", when, got, want)
			}
		}
		check("at first", "1", first, "1")
		check("then", "2", "2")
		s.status(StateStarting, incoming{})
		waitState(t, c, StateStarting)
		check("after a restart", "3", first, "3")
		s.status(StateRestarting, incoming{})
		waitState(t, c, StateRestarting)
		s.status(StateStarting, incoming{})
		waitState(t, c, StateStarting)
		check("after a death", "4", first, "4")
		s.ws.Close()
		s = <-f.sockets
		check("after a gap", "5", first, "5")
		status = "aborted"
		check("then", "6", "6")
		status = "ok"
		check("after it may have been aborted too", "7", first, "7")
		first = "other()"
		check("of something else", "8", first, "8")
		first = ""
		check("of nothing", "9", "9")
		// A kernel known to be for another language gets nothing.
		first = "third()"
		s.send("control", "kernel_info_reply", incoming{}, map[string]any{"language_info": map[string]any{"name": "R"}})
		if _, err := c.LanguageInfo(testContext(t)); err != nil {
			t.Fatal(err)
		}
		check("for R", "10", "10")
	})
}
