package serve

import (
	"context"
	"strconv"
)

// A caller is who sends a request: the holder of one of Config.Tokens, the user whom that holder names in UserHeader,
// or a subject of the issuer, whatever token it bears. "" is nobody.
type caller string

// tokenCaller is the caller who has the token with that number, or the user whom that one names.
func tokenCaller(n int, user string) caller {
	return caller("token " + strconv.Itoa(n) + " " + user)
}

// subjectCaller is the caller whom the issuer calls by that name.
func subjectCaller(name string) caller { return caller("subject " + name) }

// An Entrant is who sends a request, where a part of the program before this server has found that out, see [Config.Only].
type Entrant struct {
	Name string
	// Still says, as long as a connection lasts, whether the entrant is still let in, and if not, why.
	Still func(context.Context) error
}

type entrantKey struct{}

// WithEntrant puts who sends a request into the request's context.
func WithEntrant(ctx context.Context, e Entrant) context.Context {
	return context.WithValue(ctx, entrantKey{}, e)
}

// entrantIn is who was put into a context; ok is false if nobody was.
func entrantIn(ctx context.Context) (e Entrant, ok bool) {
	e, ok = ctx.Value(entrantKey{}).(Entrant)
	return e, ok
}

type callerKey struct{}

// callerIn is the caller of a request.
func callerIn(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller) // ServeHTTP has set it
	return who
}
