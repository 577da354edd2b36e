package login

import (
	"net/http"
	"slices"
	"strings"
)

// resources are the paths that tokens may be meant for: the service as a whole, and the two that MCP clients use.
var resources = []string{"", "/mcp", "/sse"}

// getResource answers with the metadata of a resource (RFC 9728).
func (l *Login) getResource(r *http.Request) http.Handler {
	return answer(http.StatusOK, map[string]any{
		"resource":                 l.cfg.URL + strings.TrimPrefix(r.URL.Path, pathResource),
		"authorization_servers":    []string{l.cfg.URL},
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "nbduet",
	})
}

// getServer answers with the metadata of the authorization server (RFC 8414), including the fields that OpenID requires.
func (l *Login) getServer(*http.Request) http.Handler {
	return answer(http.StatusOK, map[string]any{
		"issuer":                                         l.cfg.URL,
		"authorization_endpoint":                         l.cfg.URL + pathAuthorize,
		"token_endpoint":                                 l.cfg.URL + pathToken,
		"registration_endpoint":                          l.cfg.URL + pathRegister,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"authorization_response_iss_parameter_supported": true,
		"jwks_uri":                                       l.cfg.URL + pathKeys,
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{"RS256"},
	})
}

// isResource reports whether a token may be meant for an address. An empty address means this service.
func (l *Login) isResource(address string) bool {
	if address == "" {
		return true
	}
	return slices.ContainsFunc(resources, func(suffix string) bool { return strings.TrimSuffix(address, "/") == l.cfg.URL+suffix })
}
