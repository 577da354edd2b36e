package hub

import (
	"context"
	"errors"
)

// A Reason is why a hub, or a server behind it, refuses a token.
type Reason int

// The reasons.
const (
	Unclear      Reason = iota // the hub does not answer, or says nothing against the token
	UnknownToken               // it is wrong, has expired, was revoked, or its user was removed
	NoScope                    // it has not the scope Access for this server
	Stopped                    // the server does not run
	Starting                   // not yet
)

// A Verdict is a reason with what is known besides.
type Verdict struct {
	Reason Reason
	Holder Holder
	// CanStart tells that the token may start the server.
	CanStart bool
}

// Why asks the hub why a server of it refused a token, or did not answer. stopped says that the answer was one that the hub
// gives for servers that do not run, among others.
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
