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

type callerKey struct{}

// callerIn is the caller of a request.
func callerIn(ctx context.Context) caller {
	who, _ := ctx.Value(callerKey{}).(caller) // ServeHTTP has set it
	return who
}
