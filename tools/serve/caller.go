package serve

import (
	"context"
	"strconv"
)

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
