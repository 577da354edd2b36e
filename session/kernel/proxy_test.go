package kernel

import (
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// proxy is a TCP proxy before a server, whose connections can be cut and refused.
type proxy struct {
	target string
	ln     net.Listener
	wg     sync.WaitGroup

	mu     sync.Mutex
	refuse bool
	conns  map[net.Conn]bool
}

// proxied returns a client of the server that reaches it through a proxy.
func proxied(t testing.TB, s *jupytertest.Server) (*jupyter.Server, *proxy) {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{target: u.Host, ln: ln, conns: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		ln.Close()
		p.cut()
		p.wg.Wait()
	})
	u.Host = ln.Addr().String()
	srv, err := jupyter.New(jupyter.Options{URL: strings.TrimRight(u.String(), "/"), Token: s.Token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return srv, p
}

func (p *proxy) accept() {
	for {
		in, err := p.ln.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.target)
		if err != nil {
			in.Close()
			continue
		}
		p.mu.Lock()
		if p.refuse {
			p.mu.Unlock()
			in.Close()
			out.Close()
			continue
		}
		p.conns[in], p.conns[out] = true, true
		p.mu.Unlock()
		for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
			p.wg.Go(func() {
				_, _ = io.Copy(pair[0], pair[1]) // ends with either side
				pair[0].Close()
				pair[1].Close()
			})
		}
	}
}

// cut breaks every connection without a close frame.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, as from a network that is gone
		}
		c.Close()
		delete(p.conns, c)
	}
}

// down refuses new connections, or takes them again.
func (p *proxy) down(refuse bool) {
	p.mu.Lock()
	p.refuse = refuse
	p.mu.Unlock()
}
