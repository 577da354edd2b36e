package rtc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(jupytertest.Exit)) }

// patience is how long a test waits for what must come.
const patience = time.Minute

// client is the REST side of a test server, over addr where that is not "".
func client(t *testing.T, s *jupytertest.Server, addr string) *jupyter.Server {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if addr != "" {
		u.Host = addr
	}
	srv, err := jupyter.New(jupyter.Options{URL: u.String(), Token: s.Token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return srv
}

func user(name string) awareness.User {
	return awareness.User{Username: "test-" + name, Name: name, DisplayName: name, Initials: name[:1], Color: "#888"}
}

// join enters the room of a notebook; the test leaves it at its end.
func join(t *testing.T, srv *jupyter.Server, path string, change ...func(*rtc.Config)) (*rtc.Room, *ydoc.Notebook) {
	t.Helper()
	r, nb, err := tryJoin(t, srv, path, change...)
	if err != nil {
		t.Fatal(err)
	}
	return r, nb
}

func tryJoin(t *testing.T, srv *jupyter.Server, path string, change ...func(*rtc.Config)) (*rtc.Room, *ydoc.Notebook, error) {
	t.Helper()
	nb := ydoc.NewNotebook()
	cfg := rtc.Config{
		Server: srv, Path: path, Format: "json", Type: "notebook", Replica: nb.Doc, User: user("agent"),
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	}
	for _, f := range change {
		f(&cfg)
	}
	r, err := rtc.Join(t.Context(), cfg)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		_ = r.Leave(ctx) // what the test has to say of it, it has said
	})
	return r, nb, nil
}

// eventually waits until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("did not happen within %v: %s", patience, what)
}

func insert(t *testing.T, nb *ydoc.Notebook, at int, source string) string {
	t.Helper()
	var id string
	if err := nb.Edit("insert", func(e *ydoc.Editor) error {
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

func sources(nb *ydoc.Notebook) string {
	var s []string
	for _, c := range nb.Cells() {
		s = append(s, c.Source)
	}
	return strings.Join(s, "|")
}

// cable is a way to the server that a test can cut.
type cable struct {
	l      net.Listener
	target string
	wg     sync.WaitGroup

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
}

func newCable(t *testing.T, s *jupytertest.Server) *cable {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &cable{l: l, target: u.Host, conns: make(map[net.Conn]bool)}
	w.wg.Go(w.accept)
	t.Cleanup(func() {
		_ = l.Close()
		w.cut()
		w.wg.Wait()
	})
	return w
}

func (w *cable) addr() string { return w.l.Addr().String() }

func (w *cable) accept() {
	for {
		c, err := w.l.Accept()
		if err != nil {
			return
		}
		up, err := net.Dial("tcp", w.target)
		w.mu.Lock()
		if err != nil || w.down {
			_ = c.Close()
			if up != nil {
				_ = up.Close()
			}
			w.mu.Unlock()
			continue
		}
		w.conns[c], w.conns[up] = true, true
		w.mu.Unlock()
		pass := func(a, b net.Conn) {
			_, _ = io.Copy(a, b)
			_ = a.Close()
			_ = b.Close()
		}
		w.wg.Go(func() { pass(c, up) })
		w.wg.Go(func() { pass(up, c) })
	}
}

// cut breaks all connections and lets no new one through until mend.
func (w *cable) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.conns {
		_ = c.Close()
	}
	clear(w.conns)
}

func (w *cable) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
