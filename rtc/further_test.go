package rtc_test

import (
	"math"
	"testing"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// The others see additional keys beside the usual ones, until they are removed; no additional key replaces a usual
// one.
func TestFurtherKeys(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Notebook(t, "x = 1")
		a, nb := join(t, client(t, s), path)
		b, _ := join(t, client(t, s), path)
		sees := func(what string, f func(p rtc.Peer) bool) {
			t.Helper()
			eventually(t, what, func() bool {
				for _, p := range b.Peers() {
					if p.ClientID == nb.ClientID() {
						return f(p)
					}
				}
				return false
			})
		}
		for key, v := range map[string]any{"activeCellId": "c0", "notebookPath": path, "agent": "somebody else", "user": nil} {
			if err := a.SetFurther(key, v); err != nil {
				t.Fatal(err)
			}
		}
		sees("both keys", func(p rtc.Peer) bool { return p.ActiveCell == "c0" && p.ActivePath == path && p.Agent })
		if err := a.SetFurther("activeCellId", math.Inf(1)); err == nil {
			t.Error("what is no JSON is set")
		}
		if err := a.SetFurther("activeCellId", nil); err != nil {
			t.Fatal(err)
		}
		if err := a.SetFurther("another", 1); err != nil {
			t.Fatal(err)
		}
		sees("the key that is left", func(p rtc.Peer) bool { return p.ActiveCell == "" && p.ActivePath == path && p.Agent })
	})
}
