package kernel

import (
	"errors"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The first request names a proxy that accepts the upgrade of every websocket and closes it, without further tries. If a
// single connection is cut off, another one is made.
func TestCutOff(t *testing.T) {
	const always = 1 << 30
	for _, c := range []struct {
		name  string
		times int32 // that a websocket is cut off
		code  faults.Code
	}{
		{"always", always, faults.WebsocketsEaten},
		{"once", 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				cut, taken := jupytertest.CutOff(t, s, c.times)
				_, err := connect(t, serverOf(t, cut), startKernel(t, serverOf(t, s))).Execute(testContext(t), Request{Code: "1"}, (&recorder{}).handle)
				f, _ := faults.Of(err)
				test.Eq(t, c.code, f.Code)
				test.Eq(t, c.code != "", errors.Is(err, ErrClosed))
				test.False(t, c.code == "" && err != nil)
				if n := taken.Load(); c.times == always && n != 2 { // ours, and the test request
					t.Errorf("%d websockets", n)
				}
			})
		})
	}
}
