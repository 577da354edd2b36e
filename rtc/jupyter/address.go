package jupyter

import (
	"net"
	"net/url"
	"strings"
)

// SameHost reports whether two URLs have the same scheme, host and port. All names of the loopback address count as
// one.
func SameHost(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && port(a) == port(b) && host(a) == host(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

func host(u *url.URL) string {
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip := net.ParseIP(name); name == "localhost" || (ip != nil && ip.IsLoopback()) {
		return "loopback"
	}
	return name
}

// SameServer reports whether two addresses are those of one server: they have the same scheme, host, port and path
// prefix. All names of the loopback address count as one.
func SameServer(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil {
		return false
	}
	v, err := url.Parse(b)
	if err != nil {
		return false
	}
	return SameHost(u, v) && strings.TrimRight(u.EscapedPath(), "/") == strings.TrimRight(v.EscapedPath(), "/")
}
