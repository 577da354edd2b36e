package hubservice

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// A Tenant is what one user has of this program.
type Tenant struct {
	// Handler serves the user's requests, and Run what belongs to it, until its context ends, see serve.Server.
	Handler http.Handler
	Run     func(context.Context)
	// Runs reports whether code of the user's runs, for which the tenant stays.
	Runs func() bool
	// Close ends all that the user has here. The context bounds it.
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

// closeTime bounds the end of a tenant.
const closeTime = 10 * time.Second

var errTooMany = errors.New("too many users are being served: try again later")

// tenants are the tenants, by user.
type tenants struct {
	make func(ctx context.Context, user string) (Tenant, error)
	most int
	log  *slog.Logger
	ctx  context.Context // of all

	mu     sync.Mutex
	closed bool
	by     map[string]*tenant
	ending sync.WaitGroup
}

// enter finds a user's tenant, or makes it. It stays at least until leave is called.
func (t *tenants) enter(user string) (one *tenant, leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one = t.by[user]; one == nil {
		if t.closed || len(t.by) >= t.most {
			return nil, nil, errTooMany
		}
		made, err := t.make(t.ctx, user) // it asks nobody anything
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
		t.log.Info("a user of the hub begins", "users", len(t.by))
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

// end ends those that are to end.
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
				t.log.Warn("not all that a user of the hub had could be ended in order", "error", err)
			}
		})
	}
}

// sweep ends those whose users have no token any more, and those that were silent for so long and have nothing that runs.
func (t *tenants) sweep(idle time.Duration, known func(user string) bool) {
	t.end(func(one *tenant) bool {
		return !known(one.user) || one.open == 0 && time.Since(one.last) > idle && !one.Runs()
	})
}

// close ends all, and makes no new ones. It returns when they have ended.
func (t *tenants) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end(func(*tenant) bool { return true })
	t.ending.Wait()
}

// count is how many there are.
func (t *tenants) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.by)
}
