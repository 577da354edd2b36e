package kernel

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// proxied returns a client of the server that reaches it through a cable.
func proxied(t testing.TB, s *jupytertest.Server) (*jupyter.Server, *jupytertest.Cable) {
	t.Helper()
	p := jupytertest.NewCable(t, s)
	srv, err := jupyter.New(jupyter.Options{URL: p.Server.URL, Token: s.Token, HTTPClient: p.Server.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return srv, p
}
