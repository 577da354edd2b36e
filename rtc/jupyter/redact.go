package jupyter

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/samber/lo"
)

// Redact removes the token from a foreign text, because a server may repeat the request's text, and others read the
// log.
func (s *Client) Redact(text string) string { return redactor(s)(text) }

// redactor returns a Redact for several servers. It replaces longer tokens first, so that no part of one is left.
func redactor(clients ...*Client) func(text string) string {
	return func(text string) string {
		tokens := lo.FlatMap(clients, func(c *Client, _ int) []string { return c.finder.secrets() })
		slices.SortFunc(tokens, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
		for _, t := range slices.Compact(tokens) {
			text = without(text, t)
		}
		return text
	}
}

// shortToken is the length, in bytes, below which a token may be part of a word by chance.
const shortToken = 16

// without replaces a token. A short one inside a word is kept: "lab" is not a token in "label", and replacing it
// would reveal it.
func without(text, token string) string {
	if len(token) >= shortToken {
		return strings.ReplaceAll(text, token, "[token]")
	}
	var out strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], token)
		if i < 0 {
			return out.String() + text[from:]
		}
		at, end := from+i, from+i+len(token)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		out.WriteString(text[from:at])
		if inWord(before) || inWord(after) {
			out.WriteString(token)
		} else {
			out.WriteString("[token]")
		}
		from = end
	}
}

// inWord reports whether a character can be part of a word.
func inWord(c rune) bool { return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c)) }

// secrets returns all tokens ever used, in the forms that texts may have: a text may repeat an old one.
func (f *finder) secrets() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return lo.FlatMap(f.tokens, func(t string, _ int) []string { return []string{t, url.QueryEscape(t)} })
}
