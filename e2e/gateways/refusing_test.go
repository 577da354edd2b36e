package gateways

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
)

// refusing is a proxy before a gateway that can be switched to answer 503.
type refusing struct {
	*httptest.Server
	mu      sync.Mutex
	refuses bool
	sockets map[context.Context]context.CancelFunc
}

func newRefusing(t *testing.T, g *gateway) *refusing {
	t.Helper()
	target, err := url.Parse("http://127.0.0.1:" + g.port)
	must.NoError(t, err)
	through := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{DisableKeepAlives: true},
	}
	p := &refusing{sockets: map[context.Context]context.CancelFunc{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		p.mu.Lock()
		refuses := p.refuses
		if r.Header.Get("Upgrade") != "" {
			p.sockets[ctx] = cancel
			defer p.forget(ctx)
		}
		p.mu.Unlock()
		if refuses {
			http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
			return
		}
		through.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(p.Close)
	t.Cleanup(p.cut)
	return p
}

func (p *refusing) forget(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sockets, ctx)
}

// cut closes all websockets.
func (p *refusing) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, cancel := range p.sockets {
		cancel()
	}
}

func (p *refusing) refuse(refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuses
}

func (p *refusing) port(t *testing.T) string {
	t.Helper()
	at, err := url.Parse(p.URL)
	must.NoError(t, err)
	return at.Port()
}

// A gateway answers 503 for a minute: the calls' errors name the gateway, the notebook stays usable, and afterwards the
// kernel is the same. A run whose messages still arrive continues. If the websockets are cut too, it is lost: Jupyter
// Server has given up its own websocket by then, so that no more messages would ever arrive.
func TestRefusingForAMinute(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		for name, cuts := range map[string]bool{"websockets stay": false, "websockets are cut": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				g := newGateway(t, k)
				p := newRefusing(t, g)
				s := newSite(t, k, p.port(t))
				path := s.notebook("kept = 41", "import time\nprint('asleep', flush=True)\ntime.sleep(30)\nprint('awake')", "kept + 1")
				c := s.client(agent.Options{})
				c.runs(path, "c0")
				run := c.started("execute_nb_cells", cellArgs(path, "c1"))
				time.Sleep(time.Second) // it has begun
				p.refuse(true)
				if cuts {
					p.cut()
				}
				over := time.After(time.Minute)
				c.refused("list_available_kernels", nil)
				c.refused("session_create", nil)
				c.worksOn(path, "# while it refuses")
				answer := <-run
				if cuts {
					has(t, "the run", answer, `"state":"lost"`)
					c.blames("the run", answer)
					c.refused("execute_nb_cells", cellArgs(path, "c2"))
				} else {
					has(t, "the run", answer, `"state":"done"`, "awake")
				}
				<-over
				p.refuse(false)
				c.runs(path, "c2", "42")
			})
		}
	})
}

// If the websockets of an idle kernel were cut unnoticed for a minute, the next run still reaches the kernel.
func TestCutUnseen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		g := newGateway(t, k)
		p := newRefusing(t, g)
		s := newSite(t, k, p.port(t))
		path := s.notebook("kept = 41", "kept + 1")
		c := s.client(agent.Options{})
		c.runs(path, "c0")
		p.refuse(true)
		p.cut()
		time.Sleep(time.Minute) // Jupyter Server has given up by then
		p.refuse(false)
		began := time.Now()
		c.runs(path, "c1", "42")
		if took := time.Since(began); took > soon {
			t.Errorf("the next run took %s", took)
		}
	})
}
