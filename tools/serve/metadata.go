package serve

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/server"
)

// Protected-resource metadata (RFC 9728) tell a client without a token who issues tokens.

const metadataPath = server.WellKnownProtectedResourcePath

// resources are the paths for which tokens may be meant: the server as a whole, and the two that MCP clients use.
var resources = []string{"", "/mcp", "/sse"}

// cleanPublicURL checks the public URL, and takes away /mcp and slashes at its end.
func cleanPublicURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not a server's URL, such as https://nb.example.org", address)
	}
	u.Path, u.RawPath = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp"), "/"), ""
	return u.String(), nil
}

// base is the server's URL for a request's sender: as configured, or as the request is addressed.
func (s *Server) base(r *http.Request) string {
	if s.cfg.PublicURL != "" {
		return s.cfg.PublicURL
	}
	u := url.URL{Scheme: "http", Host: r.Host, Path: prefix(r)}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// metadataURL is the address of the metadata of the resource that a request asks for.
func (s *Server) metadataURL(r *http.Request) string {
	if r.URL.Path == barePath {
		return s.base(r) + metadataPath // a client compares the resource with the address that it was given
	}
	if strings.HasPrefix(r.URL.Path, "/sse") || strings.HasPrefix(r.URL.Path, "/message") {
		return s.base(r) + metadataPath + "/sse"
	}
	return s.base(r) + metadataPath + "/mcp"
}

// isMetadata reports whether a path has metadata. Anybody may read them, from any page, because who wants a token has
// none.
func (s *Server) isMetadata(path string) bool {
	return s.issuer != nil && (path == metadataPath || strings.HasPrefix(path, metadataPath+"/"))
}

// getMetadata answers with the metadata of one resource. If the public URL has a path, a proxy may put the well-known
// path before it, as the RFC wants, or after it.
func (s *Server) getMetadata(w http.ResponseWriter, r *http.Request) {
	suffix := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, metadataPath), "/")
	base := s.base(r)
	if u, err := url.Parse(base); err == nil && u.Path != "" {
		if rest, ok := strings.CutPrefix(suffix, u.Path); ok && (rest == "" || rest[0] == '/') {
			suffix = rest
		}
	}
	for _, path := range resources {
		if suffix == path {
			WriteJSON(w, http.StatusOK, server.ProtectedResourceMetadataConfig{
				Resource: base + path, AuthorizationServers: []string{s.issuer.cfg.Issuer}, ScopesSupported: s.issuer.cfg.Scopes,
				BearerMethodsSupported: []string{"header"}, ResourceName: "nbduet",
			})
			return
		}
	}
	Refuse(w, http.StatusNotFound, "no resource at that path: tokens are meant for /mcp and /sse")
}

// withAudiences checks PublicURL, and derives the audiences from it if none are given.
func (cfg Config) withAudiences() (Config, error) {
	var err error
	if cfg.PublicURL != "" {
		if cfg.PublicURL, err = cleanPublicURL(cfg.PublicURL); err != nil {
			return cfg, err
		}
	}
	if cfg.OIDC == nil {
		return cfg, nil
	}
	if cfg.OIDC.Issuer == "" {
		return cfg, errors.New("the token issuer is missing: set OIDC.Issuer")
	}
	of := *cfg.OIDC
	if len(of.Audiences) == 0 && cfg.PublicURL != "" {
		for _, path := range resources {
			of.Audiences = append(of.Audiences, cfg.PublicURL+path)
		}
	}
	cfg.OIDC = &of
	return cfg, nil
}
