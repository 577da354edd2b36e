package jupyter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// lookAgain is how long a search result is valid: one call makes several requests, and many calls may wait.
const lookAgain = time.Second

// Found is the result of a search for a server.
type Found struct {
	URL, Token string
	// Password is set if the server requires a password, which a token cannot replace.
	Password bool
}

// place is a server's address, and the token to send there.
type place struct {
	base     *url.URL // scheme, host and path prefix; the path has no trailing slash
	token    string
	password bool // the server is known to require a password instead
	// others are alternative bases of the server until one has answered: a proxy may put it under a prefix that ends
	// like the address of a page.
	others []*url.URL
	sure   atomic.Bool
}

func (p *place) address() string {
	if p == nil {
		return ""
	}
	return p.base.Scheme + "://" + p.base.Host + p.base.EscapedPath()
}

func (p *place) authorize(h http.Header, userAgent string) {
	if p.token != "" {
		h.Set("Authorization", "token "+p.token)
	}
	h.Set("User-Agent", userAgent)
}

// A finder holds the place of a server, and searches for it when a request needs it, never by itself.
type finder struct {
	search func(context.Context) (Found, error) // nil: the place is fixed
	limit  time.Duration                        // of one search
	role   string

	at      atomic.Pointer[place] // nil: not found yet
	refused atomic.Bool           // the server there refused us, or none answered
	used    atomic.Bool           // the server has answered: rooms and kernels are on it, so it is not replaced by another

	turn chan struct{} // one search at a time; it guards last and err
	last time.Time
	err  error

	mu     sync.Mutex
	tokens []string // all tokens ever used, and the password, see secrets
}

func newFinder(at *place, opt Options, limit time.Duration) *finder {
	f := &finder{search: opt.Find, limit: limit, role: opt.Role, turn: make(chan struct{}, 1)}
	if opt.Password != "" {
		f.tokens = append(f.tokens, opt.Password)
	}
	if at != nil {
		f.settle(at)
		f.refused.Store(at.token == "") // a search may find a token
	}
	return f
}

// settle sets the server's place.
func (f *finder) settle(at *place) {
	if at.token != "" {
		f.mu.Lock()
		f.tokens = append(f.tokens, at.token)
		f.mu.Unlock()
	}
	f.at.Store(at)
}

// place returns the server's place, after a search if necessary. The error says why the search failed.
func (f *finder) place(ctx context.Context) (*place, error) {
	if at := f.at.Load(); f.search == nil || at != nil && !f.refused.Load() {
		return at, nil
	}
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	at := f.at.Load()
	switch {
	case at != nil && !f.refused.Load():
		return at, nil
	case !f.last.IsZero() && time.Since(f.last) < lookAgain:
		return at, f.failure(at)
	}
	bound, stop := context.WithTimeout(ctx, f.limit)
	defer stop()
	found, err := f.search(bound)
	if ctx.Err() != nil { // the next caller searches for itself
		return nil, ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the search for Jupyter servers on this machine took %s without a result: one of them may be busy or hung", f.limit.Round(time.Millisecond))
	}
	f.refused.Store(false)
	if f.err = err; err == nil {
		f.err = f.take(at, found)
	}
	f.last = time.Now()
	at = f.at.Load()
	return at, f.failure(at)
}

// take uses a search result as the server's place. A server that has been used keeps its address, and may get a new
// token.
func (f *finder) take(at *place, found Found) error {
	base, others, token, err := parseAddress(found.URL)
	if err != nil {
		return err
	}
	next := &place{base: base, token: token, password: found.Password, others: others}
	for _, other := range append(others, base) {
		if at != nil && at.base.Path == other.Path { // the base that has answered, if known
			next.base, next.others = other, at.others
			next.sure.Store(at.sure.Load())
		}
	}
	if next.token == "" {
		if next.token, err = cleanToken(found.Token, f.role); err != nil {
			return err
		}
	}
	switch {
	case at != nil && f.used.Load() && !SameServer(at.address(), next.address()):
		return nil
	case at != nil && at.token == next.token && at.password == next.password && at.address() == next.address():
		return nil
	}
	f.settle(next)
	return nil
}

// failure is the error of a failed search; nil if an older place can still be used.
func (f *finder) failure(at *place) error {
	if at != nil {
		return nil
	}
	return f.err
}

// refusal returns the fault of a refused request.
func (f *finder) refusal() faults.Code {
	if at := f.at.Load(); at != nil && at.password && at.token == "" {
		return faults.Password
	}
	return faults.WrongToken
}

// answered records the outcome of a request: if the server refused us or did not answer, the next request searches
// again.
func (f *finder) answered(err error) {
	if f.search == nil {
		return
	}
	var e *Error
	switch {
	case errors.Is(err, ErrUnauthorized), errors.Is(err, ErrUnreachable):
		f.refused.Store(true)
	case err == nil, errors.As(err, &e) && e.Status != 0 && !errors.Is(err, ErrNotJupyter):
		f.used.Store(true)
	}
}

// elsewhere tries the other bases that the server's address may mean, after a request at this one has ended with the
// given error. It returns the given place if none of them has the server.
func elsewhere(ctx context.Context, s *Client, at *place, ended error) *place {
	switch {
	case len(at.others) == 0 || at.sure.Load():
		return at
	case !errors.Is(ended, ErrNotJupyter) && !errors.Is(ended, ErrUnauthorized):
		at.sure.Store(ended == nil)
		return at
	}
	for _, base := range at.others {
		next := &place{base: base, token: at.token, password: at.password}
		var api struct {
			Version string `json:"version"`
		}
		if s.send(ctx, next, call{op: "look for", path: "/api"}, &api) == nil && api.Version != "" {
			s.finder.settle(next)
			return next
		}
	}
	return at
}

// Find searches for the server if it has not been found yet; the error says what to do. It sends nothing to the
// server.
func (s *Client) Find(ctx context.Context) error {
	_, err := s.find(ctx, "find a server", "")
	return s.withRole(err)
}

// find returns the finder's place, or a request's error.
func (s *Client) find(ctx context.Context, op, about string) (*place, error) {
	at, err := s.finder.place(ctx)
	switch {
	case err == nil:
		return at, nil
	case ctx.Err() != nil:
		return nil, s.transportError(ctx, op, about, err)
	}
	return nil, &Error{Op: op, Path: about, err: err, kind: ErrUnreachable}
}

// A ChangeCounter counts possible changes on a server and tracks those in progress, so that a cached answer can be
// recognised as outdated. The zero value is ready to use. It is safe for concurrent use.
type ChangeCounter struct {
	mu    sync.Mutex
	n     uint64
	going int
}

// Begin starts a change, which lasts until end is called, once.
func (c *ChangeCounter) Begin() (end func()) {
	c.add(1)
	return func() { c.add(-1) }
}

// Note counts a completed change.
func (c *ChangeCounter) Note() { c.add(0) }

func (c *ChangeCounter) add(going int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.going += going
}

// Count returns a number that grows at the start and the end of each change. quiet reports that no change is in
// progress.
func (c *ChangeCounter) Count() (n uint64, quiet bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.going == 0
}
