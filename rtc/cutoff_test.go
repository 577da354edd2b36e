package rtc_test

import (
	"errors"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A proxy that accepts every websocket upgrade and then closes the connection is reported, and the room is not
// dialled again and again. If that happens to only some of the room's connections, another one is made.
func TestJoinCutOff(t *testing.T) {
	const always = 1 << 30
	for _, c := range []struct {
		name  string
		times int32 // cut websockets
		code  faults.Code
	}{
		{"always", always, faults.WebsocketsEaten},
		{"once", 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				cut, taken := jupytertest.CutOff(t, s, c.times)
				_, _, err := tryJoin(t, client(t, cut), s.Notebook(t, "x = 1"))
				f, _ := faults.Of(err)
				test.Eq(t, c.code, f.Code)
				test.Eq(t, c.code != "", errors.Is(err, jupyter.ErrNoWebsockets))
				test.False(t, c.code == "" && err != nil)
				if n := taken.Load(); c.times == always && n != 2 { // ours, and the one of the check
					t.Errorf("%d websockets", n)
				}
			})
		})
	}
}
