package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// Beside runs a function beside each request, from before it is sent until the body of its answer is closed. begin
// returns the context of the request; moved, which is called whenever a part of the request or of its answer is
// transferred; and end, which is called once.
func Beside(begin func(*http.Request) (ctx context.Context, moved, end func())) Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		return Func(func(req *http.Request) (*http.Response, error) {
			ctx, moved, end := begin(req)
			req = req.WithContext(ctx)
			if req.Body != nil {
				req.Body = Body(ctx, req.Body, moved, func() {})
			}
			resp, err := next.RoundTrip(req)
			if err != nil {
				err = Ended(ctx, err) // before end ends the context
				end()
				return nil, err
			}
			moved()
			resp.Body = Body(ctx, resp.Body, moved, end)
			return resp, nil
		})
	}
}

// Body is a body that calls moved whenever a part of it is read, and end when it is closed.
func Body(ctx context.Context, of io.ReadCloser, moved, end func()) io.ReadCloser {
	return &body{of, ctx, moved, end}
}

type body struct {
	io.ReadCloser
	ctx        context.Context
	moved, end func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.moved()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = Ended(b.ctx, err)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}

// An EndedError is the error of a request whose context was ended by a layer.
type EndedError struct {
	Context context.Context // the layer's context; its cause is the reason
	Err     error
}

func (e *EndedError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the request.
func (e *EndedError) Unwrap() error { return e.Err }

// Ended returns err, as an [EndedError] if the context has ended.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.As(err, new(*EndedError)) {
		return err
	}
	return &EndedError{ctx, err}
}
