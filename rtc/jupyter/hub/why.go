package hub

import (
	"context"
	"errors"
)

// A Reason is why a hub, or a server behind it, refuses a token.
type Reason int

// The reasons.
const (
	Unclear      Reason = iota // the hub does not answer, or accepts the token
	UnknownToken               // the token is wrong, has expired, was revoked, or its user was removed
	NoScope                    // it lacks the scope Access for this server
	Stopped                    // the server does not run
	Starting                   // it is starting
)

// A Verdict is a reason with details.
type Verdict struct {
	Reason Reason
	Holder Holder
	// CanStart is set if the token may start the server.
	CanStart bool
}

// Why asks the hub why one of its servers refused a token, or did not answer. stopped is set if the answer was one
// that a hub gives for stopped servers, among others.
func (c Client) Why(ctx context.Context, p Place, stopped bool) Verdict {
	h, err := c.Who(ctx, p.Hub)
	switch {
	case errors.Is(err, ErrUnknownToken):
		return Verdict{Reason: UnknownToken}
	case err != nil:
		return Verdict{}
	case !h.May(Access, p):
		return Verdict{Reason: NoScope, Holder: h}
	case !stopped:
		return Verdict{Holder: h}
	}
	v := Verdict{Reason: Stopped, Holder: h, CanStart: h.May(Start, p)}
	switch state, err := c.StateOf(ctx, p); {
	case err != nil, !state.Known:
	case state.Starts:
		v.Reason = Starting
	case state.Runs: // it has started meanwhile
		v.Reason = Unclear
	}
	return v
}
