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

// A file that the server is just writing, and cannot read, is copied all the same.
func TestCopyReadsAgain(t *testing.T) {
	s := jupytertest.Shared(t)
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	var unread, uncopied atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content := strings.HasPrefix(r.URL.Path, "/api/contents")
		if content && r.Method == http.MethodGet && r.URL.Query().Get("content") == "1" && unread.Add(1) == 1 ||
			content && r.Method == http.MethodPost && uncopied.Add(1) == 1 {
			http.Error(w, `{"message": "Unreadable Notebook"}`, http.StatusBadRequest)
			return
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
	for _, path := range []string{s.Notebook(t, "x = 1"), s.Write(t, s.Name(t, ".py"), "x = 1")} {
		to := "copy-of-" + path
		if _, err := m.Copy(t.Context(), path, to); err != nil {
			t.Error(err)
		} else if !fileHas(s, to, "x = 1") {
			t.Errorf("the copy of %s is another", path)
		}
	}
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if unread.Load() < 2 || uncopied.Load() < 2 {
		t.Errorf("read %d times, copied %d times: the test shows nothing", unread.Load(), uncopied.Load())
	}
}
