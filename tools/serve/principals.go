package serve

import (
	"errors"
	"sync"
	"time"

	"github.com/nbduet/nbduet/tools/tool"
)

// A principal is a client who has no MCP session: whoever is the same caller is the same client.
type principal struct {
	client   *tool.Client
	requests int       // that are being served
	last     time.Time // when it was last heard of
}

// principals finds persons by who they are. They stay until the program ends; but of an issuer's subjects there can be more
// than can be kept, and then the one who was silent for longest has to leave.
type principals struct {
	clients *tool.Clients
	most    int

	mu     sync.Mutex
	closed bool
	by     map[caller]*principal
}

func newPrincipals(clients *tool.Clients, most int) *principals {
	return &principals{clients: clients, most: most, by: map[caller]*principal{}}
}

var errTooManyClients = errors.New("too many clients are being served: try again later")

// begin counts a request of somebody's, until end is called. gone is who has to leave for it, nil for nobody.
func (p *principals) begin(who caller) (c *tool.Client, end func(), gone *tool.Client, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.by[who]
	if n == nil {
		if p.closed {
			return nil, nil, nil, errTooManyClients
		}
		if len(p.by) >= p.most {
			if gone = p.evict(); gone == nil {
				return nil, nil, nil, errTooManyClients
			}
		}
		n = &principal{client: p.clients.Enter()}
		p.by[who] = n
	}
	n.requests++
	n.last = time.Now()
	return n.client, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		n.requests--
		n.last = time.Now()
	}, gone, nil
}

// evict takes out who was silent for longest and has nothing open; nil where there is nobody. p.mu is held.
func (p *principals) evict() *tool.Client {
	var first caller
	var old *principal
	for who, n := range p.by {
		if n.requests == 0 && (old == nil || n.last.Before(old.last)) {
			first, old = who, n
		}
	}
	if old == nil {
		return nil
	}
	delete(p.by, first)
	return old.client
}

// count tells how many there are.
func (p *principals) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.by)
}

// cancelAll ends the calls of all, and lets nobody new come.
func (p *principals) cancelAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, n := range p.by {
		n.client.Dismiss()
	}
}
