package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// askTimeout bounds one request to the server.
const askTimeout = 10 * time.Second

// A remote is a kernel's server, as a connection queries it.
type remote struct {
	srv      *jupyter.Server
	kernelID string
	look     time.Duration // for one check that the server answers

	mu      sync.Mutex
	started time.Time // the server's start time, from its first answer; zero if unknown
}

// answers reports whether the server answers.
func (r *remote) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, r.look)
	defer cancel()
	_, err := r.srv.Health.Status(ctx)
	return err == nil || errors.Is(err, jupyter.ErrNoGateway)
}

// noteStarted notes when the server was started, to distinguish its restart from the end of one kernel.
func (r *remote) noteStarted(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	st, err := r.srv.Health.Status(ctx)
	if err != nil {
		return // then a kernel that is gone counts as shut down
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started.IsZero() {
		r.started = st.Started
	}
}

// missing returns why the server no longer has the kernel.
func (r *remote) missing(ctx context.Context) error {
	r.mu.Lock()
	started := r.started
	r.mu.Unlock()
	if !started.IsZero() {
		ctx, cancel := context.WithTimeout(ctx, r.look)
		defer cancel()
		if st, err := r.srv.Health.Status(ctx); err == nil && !st.Started.IsZero() && !st.Started.Equal(started) {
			return ErrServerRestarted
		}
	}
	return fmt.Errorf("%w: the server no longer has it", ErrShutDown)
}
