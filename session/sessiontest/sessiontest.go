// Package sessiontest is the common part of the tests of session, of the packages below it that are tested through its
// documents, and of those above it: a manager on the shared Jupyter server, common operations on its documents, runs that
// are followed during execution, and a [Person] in a notebook's room.
//
// # Concurrency
//
// It starts no goroutine that outlives a test: it closes everything when the test ends.
package sessiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

// Timeout is how long a test waits for an expected event.
const Timeout = 2 * time.Minute

// Manager returns a manager of a server's documents, and closes it when the test ends.
func Manager(t testing.TB, s *jupytertest.Server, cfg session.Config) *session.Manager {
	t.Helper()
	cfg.Server = Server(t, s)
	m := session.New(cfg)
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), Timeout)
		defer stop()
		if err := m.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return m
}

// Server returns a client of a test server, until the test ends.
func Server(t testing.TB, s *jupytertest.Server) *jupyter.Server {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return srv
}

// Open opens a notebook until the test ends.
func Open(t testing.TB, m *session.Manager, path string) *session.Document {
	t.Helper()
	d, err := m.Open(AsClient(t.Context()), jupyter.MustPath(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Release)
	return d
}

// AsClient returns the context of a client's call; people see that client in the documents that Open and OpenText open with
// it.
func AsClient(ctx context.Context) context.Context {
	return origin.With(ctx, origin.Author{Client: "agent"})
}

// OpenText opens a text until the test ends.
func OpenText(t *testing.T, m *session.Manager, path string) *session.Document {
	t.Helper()
	d, err := m.OpenText(AsClient(t.Context()), jupyter.MustPath(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Release)
	return d
}

// Eventually waits until a condition is true.
func Eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Timeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("did not happen within %v: %s", Timeout, what)
}

// Text formats outputs in one line.
func Text(outs []ydoc.Output) string {
	var b strings.Builder
	for _, o := range outs {
		switch o["output_type"] {
		case "stream":
			fmt.Fprintf(&b, "%s:%s;", o["name"], o["text"])
		case "error":
			fmt.Fprintf(&b, "error:%s;", o["ename"])
		default:
			data, _ := o["data"].(map[string]any)
			fmt.Fprintf(&b, "%s:%s;", o["output_type"], data["text/plain"])
		}
	}
	return b.String()
}

// AppendCell appends a code cell to a notebook, and returns its id.
func AppendCell(t *testing.T, d *session.Document, source string) string {
	t.Helper()
	var id string
	at := d.Notebook().Len()
	if err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
		ids, err := e.Insert(at, ydoc.NewCell{Type: "code", Source: source})
		if err == nil {
			id = ids[0]
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return id
}

// FileHas reports whether a file on the server's disk contains a text.
func FileHas(s *jupytertest.Server, path, what string) bool {
	b, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(path)))
	return err == nil && strings.Contains(string(b), what)
}

// HasKernel reports whether the kernel with that id exists.
func HasKernel(t *testing.T, m *session.Manager, id string) bool {
	t.Helper()
	_, err := m.Servers().Runtime.Kernels.Get(t.Context(), id)
	if err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// Expression returns the value of an evaluated expression, as the kernel prints it.
func Expression(t *testing.T, results map[string]any, name string) string {
	t.Helper()
	res, _ := results[name].(map[string]any)
	data, _ := res["data"].(map[string]any)
	text, ok := data["text/plain"].(string)
	if !ok {
		t.Fatalf("%s came to %v", name, results[name])
	}
	return text
}

// Front returns a proxy in front of s that handles requests with handle; next passes them on.
func Front(t *testing.T, s *jupytertest.Server, handle func(next *httputil.ReverseProxy) http.Handler) *jupytertest.Server {
	t.Helper()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	next := httputil.NewSingleHostReverseProxy(target)
	// A handler that outlives the test would leave an idle connection.
	next.Transport = fromMemory{&http.Transport{DialContext: jupytertest.Dial(t), DisableKeepAlives: true}}
	front := jupytertest.At(t, handle(next))
	front.Token, front.Root = s.Token, s.Root
	return front
}

// fromMemory reads a request's body before it sends the request. A server without keep-alive that answers before it has read
// the body closes the connection, and http.Transport sends a body together with the header only if it is in memory.
type fromMemory struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (m fromMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.ContentLength > 0 {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return m.RoundTripper.RoundTrip(r)
}

// Folder makes a folder for the test.
func Folder(t *testing.T, s *jupytertest.Server, m *session.Manager) string {
	t.Helper()
	dir := s.Name(t, "-folder é#%?")
	if _, err := m.Servers().Documents.Contents.Put(t.Context(), jupyter.MustPath(dir), jupyter.NewContent{Type: "directory"}); err != nil {
		t.Fatal(err)
	}
	return dir
}
