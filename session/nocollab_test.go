package session_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
)

// A server without any collaboration gets one message, which names what to
// install.
func TestServerWithoutCollaboration(t *testing.T) {
	s := jupytertest.Start(t, jupytertest.WithoutCollaboration())
	m := manager(t, s, session.Config{})
	_, err := m.Open(t.Context(), s.Notebook(t, "x = 1"))
	if !errors.Is(err, jupyter.ErrNoCollaboration) || errors.Is(err, jupyter.ErrServerDocuments) {
		t.Fatalf("open: %v, want no collaboration", err)
	}
	if !strings.Contains(err.Error(), "pip install jupyter-collaboration") {
		t.Errorf("the error does not name the package: %v", err)
	}
}

// The other provider of rooms is told apart, and named.
func TestServerDocumentsIsNamed(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/contents/"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"name":"a.ipynb","path":"a.ipynb","type":"notebook","writable":true,"last_modified":"2026-01-01T00:00:00Z","created":"2026-01-01T00:00:00Z"}`))
		case r.Method == http.MethodPost && r.URL.Path == "/api/fileid/index":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"id":"1","path":"a.ipynb"}`))
		default:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer srv.Close()
	m := manager(t, &jupytertest.Server{URL: srv.URL, Token: "token"}, session.Config{})
	_, err := m.Open(t.Context(), "a.ipynb")
	if !errors.Is(err, jupyter.ErrServerDocuments) || !strings.Contains(err.Error(), "jupyter-server-documents") {
		t.Errorf("open: %v, want that jupyter-server-documents is named", err)
	}
}
