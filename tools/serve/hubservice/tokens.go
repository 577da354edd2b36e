package hubservice

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/hub"
)

const (
	// fresh is how long an answer of the hub about a token is valid. A revoked token stays valid that long.
	fresh = 30 * time.Second
	// stale is how long it is valid while the hub does not answer.
	stale = 5 * time.Minute
	// hubTime bounds one request to the hub.
	hubTime = 5 * time.Second
	// mostAsking bounds the concurrent requests to the hub: callers without a token may cause them.
	mostAsking = 16
)

// errHub means that the hub does not answer now, so the token cannot be checked.
var errHub = errors.New("JupyterHub does not answer, so the token cannot be checked: try again later")

// A bearer is a token of the hub, and the hub's answer about it.
type bearer struct {
	token string
	user  string
	good  context.Context // ends when the token is found to be invalid
	end   context.CancelFunc

	turn chan struct{} // held while asking the hub

	mu      sync.Mutex
	checked time.Time // when the hub last confirmed the token
	failed  time.Time // when the hub last did not answer
	used    time.Time
}

// bearers are the tokens in use, by their hashes.
type bearers struct {
	hub    string // the API's address without /api
	client *http.Client
	access []string // a token needs one of these scopes, besides that for its user's server
	asking chan struct{}

	mu  sync.Mutex
	all map[[sha256.Size]byte]*bearer
}

func newBearers(hubAddress string, client *http.Client, access []string) *bearers {
	return &bearers{hub: hubAddress, client: client, access: access, asking: make(chan struct{}, mostAsking), all: map[[sha256.Size]byte]*bearer{}}
}

// find returns the bearer of a hub token. The error is [errHub], or says what is wrong with the token.
func (b *bearers) find(ctx context.Context, token string) (*bearer, error) {
	key := sha256.Sum256([]byte(token))
	b.mu.Lock()
	one := b.all[key]
	b.mu.Unlock()
	if one != nil {
		return one, b.check(ctx, one)
	}
	user, err := b.ask(ctx, token)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if one = b.all[key]; one == nil {
		one = &bearer{token: token, user: user, turn: make(chan struct{}, 1), checked: time.Now(), used: time.Now()}
		one.good, one.end = context.WithCancel(context.Background())
		b.all[key] = one
	}
	return one, nil
}

// check asks the hub again, unless it has answered recently. Its errors are those of find; on any error except errHub it
// forgets the token.
func (b *bearers) check(ctx context.Context, one *bearer) error {
	select {
	case one.turn <- struct{}{}:
		defer func() { <-one.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	one.mu.Lock()
	now := time.Now()
	one.used = now
	checked, failed := one.checked, one.failed
	one.mu.Unlock()
	switch {
	case one.good.Err() != nil:
		return errors.New("JupyterHub no longer knows the token")
	case now.Sub(checked) < fresh, now.Sub(failed) < fresh && now.Sub(checked) < stale:
		return nil
	}
	user, err := b.ask(ctx, one.token)
	one.mu.Lock()
	defer one.mu.Unlock()
	switch {
	case errors.Is(err, errHub) && now.Sub(checked) < stale:
		one.failed = now
		return nil
	case errors.Is(err, errHub):
		return err
	case err == nil && user != one.user:
		err = errors.New("the token's user has changed")
	}
	if err != nil {
		b.forget(one)
		return err
	}
	one.checked, one.failed = now, time.Time{}
	return nil
}

// ask asks the hub for a token's user, and checks that the token may be used here.
func (b *bearers) ask(ctx context.Context, token string) (user string, err error) {
	ctx, stop := context.WithTimeout(ctx, hubTime)
	defer stop()
	select {
	case b.asking <- struct{}{}:
		defer func() { <-b.asking }()
	case <-ctx.Done():
		return "", errHub
	}
	h, err := hub.Client{HTTP: b.client, Token: token, UserAgent: "nbduet"}.Who(ctx, b.hub)
	own := hub.Place{User: h.Name}
	switch {
	case errors.Is(err, hub.ErrUnknownToken):
		return "", errors.New("JupyterHub does not know the token: it is wrong, has expired or was revoked, or its user was removed")
	case err != nil:
		return "", errHub
	case h.Kind != "user":
		return "", errors.New("the token is not a user token")
	case !h.May(hub.Access, own):
		return "", fmt.Errorf("the token lacks the scope %s", h.Wants(hub.Access, own))
	case len(b.access) > 0 && !slices.ContainsFunc(b.access, func(scope string) bool { return slices.Contains(h.Scopes, scope) }) && !slices.Contains(h.Scopes, "access:services"):
		return "", fmt.Errorf("the token lacks the scope %s", b.access[len(b.access)-1]) // the narrowest
	}
	return h.Name, nil
}

func (b *bearers) forget(one *bearer) {
	one.end()
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, sha256.Sum256([]byte(one.token)))
}

// of returns the token that a user has used last, and whether there is one.
func (b *bearers) of(user string) (token string, ok bool) {
	var last time.Time
	for _, one := range b.list() {
		one.mu.Lock()
		if one.user == user && (!ok || one.used.After(last)) {
			token, last, ok = one.token, one.used, true
		}
		one.mu.Unlock()
	}
	return token, ok
}

func (b *bearers) list() []*bearer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.all))
}

// sweep checks all tokens, and forgets tokens that have not been used for idle.
func (b *bearers) sweep(ctx context.Context, idle time.Duration) {
	for _, one := range b.list() {
		one.mu.Lock()
		used := one.used
		one.mu.Unlock()
		if time.Since(used) > idle {
			b.forget(one)
			continue
		}
		_ = b.check(ctx, one) // forgets an invalid token
		one.mu.Lock()
		one.used = used // the check is not a use
		one.mu.Unlock()
	}
}
