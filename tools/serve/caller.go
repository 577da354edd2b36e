package serve

import (
	"context"
	"strconv"
)

// A caller is who sends a request: who has one of Config.Tokens, a person of whom such a one speaks, or a subject of the
// issuer's, whatever token it has from there; "" is nobody.
type caller string

// tokenCaller is the caller who has the token with a number, or the person of whom that one speaks, and subject the one
// whom the issuer calls by a name.
func tokenCaller(n int, person string) caller {
	return caller("token " + strconv.Itoa(n) + " " + person)
}

func subjectCaller(name string) caller { return caller("subject " + name) }

type callerKey struct{}

// callerIn is who sends a request.
func callerIn(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller) // ServeHTTP has set it
	return who
}
