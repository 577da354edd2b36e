package jupyter

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// Redact takes the token out of a foreign text, because a server may repeat what it was sent, and others read the log.
func (s *Server) Redact(text string) string { return Redactor(s)(text) }

// Redactor returns a Redact for several servers. It replaces longer tokens first, so that no part of one is left.
func Redactor(servers ...*Server) func(text string) string {
	var tokens []string
	for _, s := range servers {
		if s != nil && s.token != "" {
			tokens = append(tokens, s.token, url.QueryEscape(s.token))
		}
	}
	slices.SortFunc(tokens, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	tokens = slices.Compact(tokens)
	return func(text string) string {
		for _, t := range tokens {
			text = strings.ReplaceAll(text, t, "[token]")
		}
		return text
	}
}
