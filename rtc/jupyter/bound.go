package jupyter

import (
	"context"
	"errors"
	"io"
	"time"
)

// A bound ends a request when the server has neither taken nor sent anything for a while: a large file may take longer
// than a server that is gone is waited for.
type bound struct {
	limit time.Duration
	timer *time.Timer
}

// bounded returns a context for a request, and its bound unless the request has a limit of its own. The cause of the
// context's end is then [context.DeadlineExceeded].
func (s *Server) bounded(ctx context.Context, limit time.Duration) (context.Context, *bound, func()) {
	if limit > 0 {
		return s.whileAlive(ctx, limit)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	b := &bound{limit: s.timeout, timer: time.AfterFunc(s.timeout, func() { cancel(context.DeadlineExceeded) })}
	return ctx, b, func() {
		b.timer.Stop()
		cancel(context.Canceled)
	}
}

// whileAlive returns a context for a request that makes the server wait for a kernel: it ends after the limit, or when
// the server does not answer other requests any more.
func (s *Server) whileAlive(ctx context.Context, limit time.Duration) (context.Context, *bound, func()) {
	ctx, stop := withTimeout(ctx, limit)
	ctx, cancel := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(s.timeout / 10):
			}
			asking, enough := context.WithTimeout(ctx, s.timeout*9/10)
			_, err := s.Status(asking)
			enough()
			if errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				cancel(context.DeadlineExceeded)
				return
			}
		}
	}()
	return ctx, nil, func() {
		cancel(context.Canceled)
		stop()
		<-watching
	}
}

// heard begins the time again.
func (b *bound) heard() { b.timer.Reset(b.limit) }

// reader begins the time again whenever a part of a body goes through.
type reader struct {
	io.Reader
	b *bound
}

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.b.heard()
	}
	return n, err
}
