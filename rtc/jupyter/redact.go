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
	return func(text string) string {
		var tokens []string
		for _, s := range servers {
			if s != nil {
				tokens = append(tokens, s.finder.secrets()...)
			}
		}
		slices.SortFunc(tokens, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
		for _, t := range slices.Compact(tokens) {
			text = strings.ReplaceAll(text, t, "[token]")
		}
		return text
	}
}

// secrets are the tokens that were ever used, as texts may have them: what repeats one may come late.
func (f *finder) secrets() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, t := range f.tokens {
		out = append(out, t, url.QueryEscape(t))
	}
	return out
}
