package jupyter

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// If there are several servers, every error names its server and that server's settings; if there is one, no error
// does.
func TestErrorsNameTheServer(t *testing.T) {
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(fake.Close)
	const down = "http://127.0.0.1:1"
	for _, c := range []struct {
		role, url string
		kind      error
		says      []string
		not       []string
	}{
		{"runtime", fake.URL, ErrUnauthorized, []string{"on the runtime server at " + fake.URL + ": ", "--runtime-token (RUNTIME_TOKEN)"}, []string{"JUPYTER", "s3cret"}},
		{"document", down, ErrUnreachable, []string{"on the document server at " + down + ": no connection: ", "DOCUMENT_URL"}, []string{"JUPYTER", "s3cret"}},
		{"", fake.URL, ErrUnauthorized, []string{"--token (JUPYTER_TOKEN)"}, []string{"server at", "s3cret"}},
		{"", down, ErrUnreachable, []string{"no connection to " + down + ": ", "JUPYTER_SERVER_URL"}, []string{"server at", "s3cret"}},
	} {
		s, err := New(Options{URL: c.url, Token: "s3cret", Role: c.role})
		if err != nil {
			t.Fatal(err)
		}
		_, listed := s.Kernels.Specs(t.Context())
		_, dialled := s.Kernels.Dial(t.Context(), "k", "s")
		_, joined := s.Rooms.Session(t.Context(), MustPath("a.ipynb"), "json", "notebook")
		for _, err := range []error{listed, dialled, joined} {
			if !errors.Is(err, c.kind) {
				t.Errorf("%q: %v is not %v", c.role, err, c.kind)
				continue
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q: %q does not say %q", c.role, err, want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(err.Error(), not) {
					t.Errorf("%q: %q says %q", c.role, err, not)
				}
			}
		}
		s.CloseIdleConnections()
	}
}

// No part of a token is left if another token is its beginning.
func TestRedactor(t *testing.T) {
	server := func(token string) *Server {
		s, err := New(Options{URL: "http://x", Token: token})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := server("abc"), server("abc/def")
	for _, redact := range []func(string) string{Redactor(a, b), Redactor(b, a, nil, server(""))} {
		if got := redact("abc abc/def abc%2Fdef x, abcd xabc ?t=abc& \u00e9abc"); got != "[token] [token] [token] x, abcd xabc ?t=[token]& \u00e9abc" {
			t.Errorf("%q", got)
		}
	}
}
