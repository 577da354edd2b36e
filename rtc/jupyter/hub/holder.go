package hub

import (
	"slices"
	"strings"
)

// The scopes that matter to a client.
const (
	// Access lets a token use a server.
	Access = "access:servers"
	// Start allows starting a server, and Read reading whether one runs. In JupyterHub 5, Start is missing; Manage
	// implies it and Read.
	Start  = "start:servers"
	Read   = "read:servers"
	Manage = "servers"
)

// A Holder is the owner of a token, with the token's scopes.
type Holder struct {
	// Name is the user's name, or the service's.
	Name string `json:"name"`
	// Kind is "user", or "service".
	Kind string `json:"kind"`
	// Scopes are the token's scopes, with all implied ones.
	Scopes []string `json:"scopes"`
}

// May reports whether the token has a scope for a server, or for all. Whether a scope for the users of a group
// includes a server is unknown; then it reports true.
func (h Holder) May(scope string, p Place) bool {
	return slices.ContainsFunc(h.Scopes, func(has string) bool {
		name, filter, filtered := strings.Cut(has, "!")
		if name != scope && (scope != Start || name != Manage) {
			return false
		}
		kind, value, _ := strings.Cut(filter, "=")
		switch {
		case !filtered, kind == "group":
			return true
		case kind == "user":
			return value == p.User || value == "" && h.Name == p.User
		case kind == "server":
			return value == p.full() || value == p.User && p.Server == ""
		}
		return false
	})
}

// Wants returns the narrowest scope of that name that includes the server for this token's user, and its name in
// JupyterHub 5 if that differs.
func (h Holder) Wants(scope string, p Place) string {
	if scope == Start {
		return h.narrow(Start, p) + ", or " + h.narrow(Manage, p) + " on JupyterHub 5"
	}
	return h.narrow(scope, p)
}

func (h Holder) narrow(scope string, p Place) string {
	if h.Name == p.User && p.Server == "" {
		return scope + "!user=" + p.User
	}
	return scope + "!server=" + p.full()
}
