package kernel

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A kernel that leaves the greeting on its control channel unanswered, as R's does, is asked for its language where it
// answers.
func TestLanguageOfASilentControl(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		f := newFakeServer(t)
		c, err := dial(testContext(t), f.srv, "k", Options{}, quick())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		s := <-f.sockets
		out := make(chan error, 1)
		name := any(nil)
		go func() {
			info, err := c.LanguageInfo(testContext(t))
			name = info["name"]
			out <- err
		}()
		req := s.receive()
		if req.channel != "shell" || req.header.Type != "kernel_info_request" {
			t.Fatalf("the kernel got %s on %s", req.header.Type, req.channel)
		}
		s.send("shell", "kernel_info_reply", req, map[string]any{"language_info": map[string]any{"name": "R"}})
		if err := await(t, "the language", out); err != nil || name != "R" {
			t.Errorf("%v, %v", name, err)
		}
	})
}
