package serve

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/nbduet/nbduet/tools/tool"
)

// A principal is a client without an MCP session: all requests of one caller belong to one client.
type principal struct {
	client   *tool.Client
	requests int       // being served now
	last     time.Time // start or end of the last request
}

// principals are the clients without MCP sessions, by caller. They stay until the program ends. Only an issuer's subjects
// can exceed the limit; then the one that has been silent for longest is removed.
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

// begin counts a request of a caller until end is called. gone is the client that was removed for it, or nil.
func (p *principals) begin(who caller) (c *tool.Client, end func(), gone *tool.Client, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.by[who]
	if one == nil {
		if p.closed {
			return nil, nil, nil, errTooManyClients
		}
		if len(p.by) >= p.most {
			if gone = p.evict(); gone == nil {
				return nil, nil, nil, errTooManyClients
			}
		}
		one = &principal{client: p.clients.Enter()}
		p.by[who] = one
	}
	one.requests++
	one.last = time.Now()
	return one.client, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		one.requests--
		one.last = time.Now()
	}, gone, nil
}

// evict removes the client that has no open requests and has been silent for longest; nil if all are busy. p.mu is held.
func (p *principals) evict() *tool.Client {
	var first caller
	var old *principal
	for who, one := range p.by {
		if one.requests == 0 && (old == nil || one.last.Before(old.last)) {
			first, old = who, one
		}
	}
	if old == nil {
		return nil
	}
	delete(p.by, first)
	return old.client
}

// count returns the number of principals.
func (p *principals) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.by)
}

// cancelAll cancels the calls of all principals, and stops accepting new ones.
func (p *principals) cancelAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, one := range p.by {
		one.client.Dismiss()
	}
}

// A caller is the sender of a request: the holder of one of Config.Tokens, the user that the holder names in UserHeader, or
// a subject of the issuer, whatever token it bears. "" means no caller.
type caller string

// tokenCaller returns the caller with that token's number, or the user that this caller names.
func tokenCaller(n int, user string) caller {
	return caller("token " + strconv.Itoa(n) + " " + user)
}

// subjectCaller returns the caller for a subject of the issuer.
func subjectCaller(name string) caller { return caller("subject " + name) }

// An Entrant is the sender of a request that was authenticated before this server, see [Config.Only].
type Entrant struct {
	Name string
	// Still returns an error if the entrant is no longer allowed. It is called as long as a connection lasts.
	Still func(context.Context) error
}

type entrantKey struct{}

// WithEntrant returns a context with the sender of a request.
func WithEntrant(ctx context.Context, e Entrant) context.Context {
	return context.WithValue(ctx, entrantKey{}, e)
}

// entrantIn returns the entrant in a context; ok is false if it has none.
func entrantIn(ctx context.Context) (e Entrant, ok bool) {
	e, ok = ctx.Value(entrantKey{}).(Entrant)
	return e, ok
}

type callerKey struct{}

// callerIn returns the caller of a request.
func callerIn(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller) // set by ServeHTTP
	return who
}
