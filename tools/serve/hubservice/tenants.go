package hubservice

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// A Tenant is the part of this program that serves one user.
type Tenant struct {
	// Handler serves the user's requests. Run does the background work until its context ends, see serve.Server.
	Handler http.Handler
	Run     func(context.Context)
	// Runs reports whether the user's code is running; the tenant does not end meanwhile.
	Runs func() bool
	// Close closes everything that the user has in this program. The context bounds it.
	Close func(context.Context) error
}

// A tenant is a Tenant in the table.
type tenant struct {
	Tenant
	user  string
	stop  context.CancelFunc
	ended chan struct{}

	// Guarded by tenants.mu.
	open int // requests
	last time.Time
}

// closeTime bounds Tenant.Close.
const closeTime = 10 * time.Second

var errTooMany = errors.New("too many users are being served: try again later")

// tenants are the tenants, by user.
type tenants struct {
	make func(ctx context.Context, user string) (Tenant, error)
	most int
	log  *slog.Logger
	ctx  context.Context // the parent of all tenants' contexts

	mu     sync.Mutex
	closed bool
	by     map[string]*tenant
	ending sync.WaitGroup
}

// enter returns a user's tenant; it creates one if necessary. The tenant stays at least until leave is called.
func (t *tenants) enter(user string) (one *tenant, leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one = t.by[user]; one == nil {
		if t.closed || len(t.by) >= t.most {
			return nil, nil, errTooMany
		}
		made, err := t.make(t.ctx, user) // it sends no requests
		if err != nil {
			return nil, nil, err
		}
		ctx, stop := context.WithCancel(t.ctx)
		one = &tenant{Tenant: made, user: user, stop: stop, ended: make(chan struct{})}
		t.by[user] = one
		go func() {
			defer close(one.ended)
			one.Run(ctx)
		}()
		t.log.Info("serving a new hub user", "users", len(t.by))
	}
	one.open++
	one.last = time.Now()
	return one, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		one.open--
		one.last = time.Now()
	}, nil
}

// end ends the tenants selected by which.
func (t *tenants) end(which func(*tenant) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for user, one := range t.by {
		if !which(one) {
			continue
		}
		delete(t.by, user)
		one.stop()
		t.ending.Go(func() {
			<-one.ended
			ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), closeTime)
			defer stop()
			if err := one.Close(ctx); err != nil {
				t.log.Warn("a hub user's work could not be ended cleanly", "error", err)
			}
		})
	}
}

// sweep ends tenants whose users have no valid token, and tenants that have been silent for idle and run no code.
func (t *tenants) sweep(idle time.Duration, known func(user string) bool) {
	t.end(func(one *tenant) bool {
		return !known(one.user) || one.open == 0 && time.Since(one.last) > idle && !one.Runs()
	})
}

// close ends all tenants, and creates no new ones. It returns when they have ended.
func (t *tenants) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end(func(*tenant) bool { return true })
	t.ending.Wait()
}

// count returns the number of tenants.
func (t *tenants) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.by)
}
