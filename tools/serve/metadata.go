package serve

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/server"
)

// Protected-resource metadata (RFC 9728) tell a client without a token which issuer to ask.

const metadataPath = server.WellKnownProtectedResourcePath

// resources are the paths that tokens may be meant for: the server as a whole, and the two that MCP clients use.
var resources = []string{"", "/mcp", "/sse"}

// cleanPublicURL checks the public URL, and removes /mcp and slashes at its end.
func cleanPublicURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not a server URL, such as https://nb.example.org", address)
	}
	u.Path, u.RawPath = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp"), "/"), ""
	return u.String(), nil
}

// base returns the server's URL for a request's sender: the configured one, or the address in the request.
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

// metadataURL returns the metadata address of the resource that a request asks for.
func (s *Server) metadataURL(r *http.Request) string {
	if r.URL.Path == barePath {
		return s.base(r) + metadataPath // a client compares the resource with its configured address
	}
	if strings.HasPrefix(r.URL.Path, "/sse") || strings.HasPrefix(r.URL.Path, "/message") {
		return s.base(r) + metadataPath + "/sse"
	}
	return s.base(r) + metadataPath + "/mcp"
}

// isMetadata reports whether a path has metadata. They are readable without a token, from any page, because a client needs
// them to get a token.
func (s *Server) isMetadata(path string) bool {
	return s.issuer != nil && (path == metadataPath || strings.HasPrefix(path, metadataPath+"/"))
}

// getMetadata answers with the metadata of one resource. If the public URL has a path, a proxy may put the well-known path
// before it, as the RFC requires, or after it.
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
