package hub

import (
	"net/url"
	"strings"
)

// A Place is the location of a user's server on a hub.
type Place struct {
	// Hub is the hub's own address, https://hub.example.org/hub, with the hub's prefix, if any.
	Hub string
	// User is the name of the server's owner. Server is the server's name, empty for the default one.
	User, Server string
}

// PlaceOf returns the place of a server by its address. On a hub, users' servers are at PREFIX/user/NAME and
// PREFIX/user/NAME/SERVER; ok is false for an address without that form. A hub that gives each user a domain is not
// recognised.
func PlaceOf(server *url.URL) (p Place, ok bool) {
	segments := strings.Split("/"+strings.Trim(server.EscapedPath(), "/"), "/") // the first is empty
	n := len(segments)
	for i := 2; i > 0; i-- { // the longer form first: a user's name may be "user"
		if i >= n || segments[n-i-1] != "user" {
			continue
		}
		rest := segments[n-i-1:]
		user, err := url.PathUnescape(rest[1])
		if err != nil || user == "" {
			return Place{}, false
		}
		p := Place{User: user, Hub: server.Scheme + "://" + server.Host + strings.Join(segments[:n-i-1], "/") + "/hub"}
		if i == 2 {
			if p.Server, err = url.PathUnescape(rest[2]); err != nil {
				return Place{}, false
			}
		}
		return p, true
	}
	return Place{}, false
}

// String names the server for people.
func (p Place) String() string {
	if p.Server != "" {
		return "the server " + p.Server + " of " + p.User
	}
	return "the server of " + p.User
}

// Tokens returns the address of the page where users create tokens.
func (p Place) Tokens() string { return p.Hub + "/token" }

// Spawn returns the address of the page where its owner starts the server.
func (p Place) Spawn() string {
	address := p.Hub + "/spawn/" + url.PathEscape(p.User)
	if p.Server != "" {
		address += "/" + url.PathEscape(p.Server)
	}
	return address
}

// api returns the address of the user in the hub's API, or of the server, with a suffix.
func (p Place) api(what ...string) string {
	address := p.Hub + "/api/users/" + url.PathEscape(p.User)
	if len(what) == 0 {
		return address
	}
	if p.Server == "" {
		address += "/server"
	} else {
		address += "/servers/" + url.PathEscape(p.Server)
	}
	return address + strings.Join(what, "")
}

// full is the server's name in scopes.
func (p Place) full() string { return p.User + "/" + p.Server }
