package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/samber/lo"
)

// A Guard admits requests that use one of this server's host names and do not come from a disallowed web page.
type Guard struct {
	hosts   hosts
	origins origins
}

// NewGuard returns a guard, see [Config.AllowedHosts] and [Config.AllowedOrigins].
func NewGuard(allowedHosts, allowedOrigins []string) (*Guard, error) {
	o, err := newOrigins(allowedOrigins)
	return &Guard{newHosts(allowedHosts), o}, err
}

// Admits reports whether a request may be served. If not, it has answered the request. It also answers a browser's preflight
// request.
func (g *Guard) Admits(w http.ResponseWriter, r *http.Request) bool {
	return g.admits(w, r, false) && !preflight(w, r)
}

// admits is Admits without preflight requests. anyPage admits every web page.
func (g *Guard) admits(w http.ResponseWriter, r *http.Request, anyPage bool) bool {
	switch {
	case !g.hosts.allow(r):
		Refuse(w, http.StatusForbidden, fmt.Sprintf("the host %q is not allowed: if it is a name of this server, give it with --allowed-hosts", r.Host))
	case !anyPage && !g.origins.allow(r):
		Refuse(w, http.StatusForbidden, fmt.Sprintf("pages of %q may not send requests: to allow that origin, give it with --allowed-origins", r.Header.Get("Origin")))
	default:
		return true
	}
	return false
}

// hosts are the host names that requests may use.
type hosts map[string]bool

func newHosts(allowed []string) hosts {
	return lo.SliceToMap(allowed, func(name string) (string, bool) { return strings.ToLower(name), true })
}

// allow reports whether a request uses one of this server's names. A web page can point its own name to this machine, so
// that a browser treats both as one origin (DNS rebinding); but the Host header shows that name.
func (h hosts) allow(r *http.Request) bool {
	full := strings.ToLower(r.Host)
	name := hostname(full)
	if h["*"] || name != "" && (h[name] || h[full]) || name == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return addr.Unmap().IsLoopback() || ok && local.AddrPort().Addr().Unmap() == addr.Unmap()
}

// hostname returns a host without its port, brackets and final dot.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

// origins are the web pages that may send requests.
type origins map[string]bool

func newOrigins(allowed []string) (origins, error) {
	out := origins{}
	for _, o := range allowed {
		clean, err := cleanOrigin(o)
		if err != nil {
			return nil, err
		}
		out[clean] = true
	}
	return out, nil
}

func cleanOrigin(o string) (string, error) {
	if o == "*" || o == "null" {
		return o, nil
	}
	u, err := url.Parse(strings.TrimSuffix(o, "/"))
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("%q is not an origin, such as https://app.example.org or http://localhost:6274", o)
	}
	return strings.ToLower(u.Scheme + "://" + u.Host), nil
}

// allow reports whether a request's Origin may send requests. Requests that do not come from a web page have no Origin.
// Pages of this server's own host are allowed.
func (o origins) allow(r *http.Request) bool {
	given := r.Header["Origin"]
	switch {
	case len(given) == 0:
		return true
	case len(given) > 1:
		return false
	case o["*"]:
		return true
	}
	clean, err := cleanOrigin(given[0])
	if err != nil {
		return false
	}
	_, host, _ := strings.Cut(clean, "://")
	return o[clean] || strings.EqualFold(host, r.Host)
}

// AllowReading lets the page of a request's Origin read the answer. Call it only for a request that a [Guard] has admitted.
func AllowReading(h http.Header, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After")
	h.Add("Vary", "Origin")
}

// preflight answers a browser's preflight request, and reports whether the request was one.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
