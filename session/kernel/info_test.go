package kernel

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A kernel that does not answer on its control channel, such as R's, gets the language request on another channel.
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
		must.Eq(t, "shell", req.channel)
		must.Eq(t, "kernel_info_request", req.header.Type)
		s.send("shell", "kernel_info_reply", req, map[string]any{"language_info": map[string]any{"name": "R"}})
		err = await(t, "the language", out)
		must.NoError(t, err)
		test.EqOp[any](t, "R", name)
	})
}
