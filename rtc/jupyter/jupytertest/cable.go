package jupytertest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gorilla/websocket"
)

// Cable is a connection to a server that a test can interrupt.
type Cable struct {
	// Server is the server as reached through the cable.
	Server *Server

	l      net.Listener
	dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	target string
	wg     sync.WaitGroup

	mu    sync.Mutex
	down  bool
	flows chan struct{} // closed while bytes may pass
	conns map[net.Conn]bool

	stranded map[net.Conn]bool // a subset of conns
}

// NewCable makes a cable, which is closed at the end of the test.
func NewCable(t testing.TB, s *Server) *Cable {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cable{l: Listen(t), dial: Dial(t), target: u.Host, conns: make(map[net.Conn]bool), stranded: make(map[net.Conn]bool), flows: make(chan struct{})}
	close(c.flows)
	reached := *s
	u.Host = c.l.Addr().String()
	reached.URL, reached.cmd, reached.stop, reached.dir = u.String(), nil, nil, ""
	c.Server = &reached
	c.wg.Go(c.accept)
	t.Cleanup(func() {
		_ = c.l.Close()
		c.Cut()
		c.stall(false)
		c.wg.Wait()
	})
	return c
}

func (c *Cable) accept() {
	for {
		near, err := c.l.Accept()
		if err != nil {
			return
		}
		far, err := c.dial(context.Background(), "tcp", c.target)
		c.mu.Lock()
		if err != nil || c.down {
			_ = near.Close()
			if far != nil {
				_ = far.Close()
			}
			c.mu.Unlock()
			continue
		}
		c.conns[near], c.conns[far] = true, true
		c.mu.Unlock()
		pass := func(to, from net.Conn) {
			_, _ = io.Copy(to, gated{c, from}) // ends when either side does
			_ = to.Close()
			_ = from.Close()
		}
		c.wg.Go(func() { pass(near, far) })
		c.wg.Go(func() { pass(far, near) })
	}
}

// Drop breaks all connections, without a close frame. New ones are accepted.
func (c *Cable) Drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		if tcp, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
			_ = tcp.SetLinger(0) // a reset, as from a failed network
		}
		_ = conn.Close()
	}
	clear(c.conns)
}

// Cut breaks all connections, and refuses new ones until Mend.
func (c *Cable) Cut() {
	c.refuse(true)
	c.Drop()
}

// Stall stops all traffic without breaking connections, like a network that drops packets, or a suspended server.
func (c *Cable) Stall() { c.stall(true) }

// Strand permanently stops the traffic of the existing connections without breaking them; new ones work. This is a
// machine that has changed its network.
func (c *Cable) Strand() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		c.stranded[conn] = true
	}
}

// Mend allows connections and delayed traffic again.
func (c *Cable) Mend() {
	c.refuse(false)
	c.stall(false)
}

func (c *Cable) stall(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.flows:
		if on {
			c.flows = make(chan struct{})
		}
	default:
		if !on {
			close(c.flows)
		}
	}
}

// gated is a connection whose traffic can be stopped.
type gated struct {
	c *Cable
	net.Conn
}

func (g gated) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	g.c.mu.Lock()
	flows, stranded := g.c.flows, g.c.stranded[g.Conn]
	g.c.mu.Unlock()
	<-flows
	for stranded && err == nil {
		n, err = g.Conn.Read(p) // discard the data
	}
	return n, err
}

func (c *Cable) refuse(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = on
}

// CutOff returns a server behind a proxy that accepts the upgrade of the first websockets, as many as times, and then
// closes them. taken counts the requested websockets.
func CutOff(t testing.TB, s *Server, times int32) (cut *Server, taken *atomic.Int32) {
	t.Helper()
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	link := &http.Transport{DialContext: Dial(t), DisableKeepAlives: true} // a handler may outlive the test
	through := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: link}
	taken = new(atomic.Int32)
	reached := *s
	reached.cmd, reached.stop, reached.dir = nil, nil, ""
	reached.URL = Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" || taken.Add(1) > times {
			through.ServeHTTP(w, r)
			return
		}
		if ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil); err == nil {
			_ = ws.Close()
		}
	}))
	return &reached, taken
}
