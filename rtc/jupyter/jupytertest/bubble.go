package jupytertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/memnet"
)

// lingering is how long a bubble continues after its test, for HTTP servers that linger at the end of a connection
// and for time-outs.
const lingering = 5 * time.Minute

// bubble is the environment of a test in a bubble.
type bubble struct {
	net    memnet.Network
	shared *Server

	mu    sync.Mutex
	hosts int
}

// bubbles holds the bubbles of the running tests.
var bubbles sync.Map // from *testing.T to *bubble

// Test runs f with the servers of [Shared] and [Start]: fakes, in a bubble of [synctest.Test], whose time advances
// when all its goroutines wait, or real ones, in real time. In a bubble each test has its own shared server. In a
// bubble f must observe the limits of synctest: no T.Run, no T.Parallel, no system sockets.
func Test(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if Real() {
		f(t)
		return
	}
	Bubble(t, f)
}

// Bubble is [Test] with fakes in any case, for faults that a real server cannot produce on request.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		bubbles.Store(t, &bubble{})
		t.Cleanup(func() { // after all cleanups of f
			bubbles.Delete(t)
			time.Sleep(lingering)
		})
		f(t)
	})
}

// bubbleOf returns the bubble of a test, if it runs in one.
func bubbleOf(t testing.TB) (*bubble, bool) {
	b, ok := bubbles.Load(t)
	if !ok {
		return nil, false
	}
	return b.(*bubble), true
}

// Listen listens on a port of the loopback interface, or of the bubble's own network.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := listen(t)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func listen(t testing.TB) (net.Listener, error) {
	b, ok := bubbleOf(t)
	if !ok {
		return loopback(t.Context())
	}
	b.mu.Lock()
	b.hosts++
	host := fmt.Sprintf("host%d.test:80", b.hosts)
	b.mu.Unlock()
	return b.net.Listen(host)
}

func loopback(ctx context.Context) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
}

// Dial returns a function that connects to listeners of [Listen].
func Dial(t testing.TB) func(ctx context.Context, network, addr string) (net.Conn, error) {
	if b, ok := bubbleOf(t); ok {
		return b.net.Dial
	}
	return (&net.Dialer{}).DialContext
}

// Serve serves HTTP until the test ends, and returns its address.
func Serve(t testing.TB, h http.Handler) (url string) {
	t.Helper()
	l := Listen(t)
	stop := serve(l, h)
	t.Cleanup(stop)
	return "http://" + l.Addr().String()
}

// serve serves HTTP until stop is called.
func serve(l net.Listener, h http.Handler) (stop func()) {
	web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	var once sync.Once
	return func() {
		once.Do(func() {
			_ = web.Close() // its error about the listener does not matter
			if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
				panic(err) // it ended unexpectedly
			}
		})
	}
}

// HTTP returns a new client that reaches the server. CloseIdleConnections ends it.
func (s *Server) HTTP() *http.Client {
	if s.dial == nil {
		return nil
	}
	return &http.Client{Transport: &http.Transport{DialContext: s.dial}}
}

// launchFake starts a fake: in the bubble of t, if it has one, else on the loopback interface, where t may be nil.
func launchFake(t testing.TB, root string, c config) (*Server, error) {
	s := &Server{Token: c.token, Root: root}
	c.kernels.NotUnderstood = misunderstood.teller(t)
	s.Fake = fake.New(fake.Config{
		Root: root, Token: c.token, Password: c.password, BaseURL: c.baseURL, NoCollaboration: !c.collab, DisableRTC: c.apart, Chat: c.chat, Kernels: c.kernels,
	})
	var l net.Listener
	var err error
	if t == nil {
		l, err = loopback(context.Background())
	} else if l, err = listen(t); err == nil {
		if b, ok := bubbleOf(t); ok {
			s.dial = b.net.Dial
		}
	}
	if err != nil {
		s.Fake.Close()
		return nil, fmt.Errorf("listen: %w", err)
	}
	s.URL = "http://" + l.Addr().String()
	if base := strings.Trim(c.baseURL, "/"); base != "" {
		s.URL += "/" + base
	}
	stop := serve(l, s.Fake)
	s.stop = func() {
		s.Fake.Close()
		stop()
	}
	if t != nil && s.dial == nil {
		if err := s.announce(t.TempDir()); err != nil {
			s.stop()
			return nil, err
		}
	}
	return s, nil
}

// announce writes the runtime file by which clients on this machine find the server.
func (s *Server) announce(dir string) error {
	s.PID, s.RuntimeDir = os.Getpid(), dir
	u, err := url.Parse(s.URL)
	if err != nil {
		return fmt.Errorf("the fake's address: %w", err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return fmt.Errorf("the fake's port: %w", err)
	}
	b, err := json.Marshal(map[string]any{
		"base_url": strings.TrimRight(u.Path, "/") + "/", "hostname": u.Hostname(), "password": false, "pid": s.PID, "port": port,
		"root_dir": s.Root, "secure": false, "sock": "", "token": s.Token, "url": strings.TrimRight(s.URL, "/") + "/", "version": fake.Version,
	})
	if err != nil {
		return fmt.Errorf("write the fake's address: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("jpserver-%d.json", s.PID)), b, 0o600)
}
