package kernel

import (
	"slices"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A server with only the older protocol, under a base URL: a run, an input request, and a message with buffers.
func TestLegacyProtocol(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithBaseURL("/user/ada/"),
			jupytertest.WithFlags("--ZMQChannelsWebsocketConnection.kernel_ws_protocol="))
		srv := serverOf(t, s)
		id := startKernel(t, srv)
		ws, err := srv.Kernels.Dial(testContext(t), id, "")
		if err != nil {
			t.Fatal(err)
		}
		if p := ws.Subprotocol(); p != "" {
			t.Errorf("the server chose %q: this test is of the older form", p)
		}
		ws.Close()
		c := connect(t, srv, id)
		var r recorder
		reply, err := c.Execute(testContext(t), Request{
			Code: `print('é', input('? '), flush=True)
from comm import create_comm
comm = create_comm(target_name='x', buffers=[b'1234'])
6*7`, AllowStdin: true, StoreHistory: true,
		}, func(ev Event) {
			r.handle(ev)
			if _, ok := ev.(InputRequest); ok {
				if err := c.Input(testContext(t), "you"); err != nil {
					t.Error(err)
				}
			}
		})
		must.NoError(t, err)
		must.Eq(t, "ok", reply.Status)
		// The question comes on another channel, in any order.
		got := r.all()
		if i := slices.Index(got, `ask "? " false`); i < 0 {
			t.Error("no question")
		} else {
			got = slices.Delete(got, i, i+1)
		}
		want := []string{"status busy", "input 1", "stdout é you\n", "result 1 42", "status idle"}
		if !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}
