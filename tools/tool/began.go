package tool

import (
	"context"
	"time"
)

type beganKey struct{}

// WithBeginning records the current time as the beginning of a call in its context.
func WithBeginning(ctx context.Context) context.Context {
	return context.WithValue(ctx, beganKey{}, time.Now())
}

// Took returns the time since the beginning of a call, or 0 if the context has none.
func Took(ctx context.Context) time.Duration {
	if began, ok := ctx.Value(beganKey{}).(time.Time); ok {
		return time.Since(began)
	}
	return 0
}
