package tool

import (
	"context"
	"time"
)

type beganKey struct{}

// WithBeginning notes in a call's context that it begins now.
func WithBeginning(ctx context.Context) context.Context {
	return context.WithValue(ctx, beganKey{}, time.Now())
}

// Took is how long a call has taken until now, 0 for what is no call.
func Took(ctx context.Context) time.Duration {
	if began, ok := ctx.Value(beganKey{}).(time.Time); ok {
		return time.Since(began)
	}
	return 0
}
