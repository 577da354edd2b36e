package session_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
)

// A connection that breaks under the first look at a file does not fail the
// call.
func TestOpenLooksAgain(t *testing.T) {
	s := jupytertest.Shared(t)
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	var broken atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/contents/") && broken.Add(1) == 1 {
			panic(http.ErrAbortHandler) // the connection is closed without an answer
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	srv, err := jupyter.New(jupyter.Options{URL: front.URL, Token: s.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.CloseIdleConnections()
	m := session.New(session.Config{Server: srv})
	d, err := m.Open(t.Context(), s.Notebook(t, "x = 1"))
	if err != nil {
		t.Fatal(err)
	}
	d.Release()
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if broken.Load() < 2 {
		t.Error("no connection was broken: the test shows nothing")
	}
}
