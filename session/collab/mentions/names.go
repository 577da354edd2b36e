package mentions

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Name is a name of an agent.
type Name struct {
	Text string
	// Client is the client with this name, "" if it is every client of this program.
	Client string
}

// handle returns a name as it is written behind an @: in chats, spaces become dashes.
func handle(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), "-"))
}

// called returns the longest name with which the text behind an @ begins, and where it ends.
func called(text string, names []Name) (name string, end int) {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		low = text // letters whose lower case has another length are not worth supporting
	}
	for _, n := range names {
		for _, h := range []string{handle(n.Text), strings.ToLower(n.Text)} {
			if h == "" || len(h) <= end || !strings.HasPrefix(low, h) || goesOn(text[len(h):]) {
				continue
			}
			name, end = n.Text, len(h)
		}
	}
	return name, end
}

// goesOn reports whether rest continues a word, so that the text before it is only the beginning of one.
func goesOn(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	if r == '-' || r == '.' || r == '@' {
		r, _ = utf8.DecodeRuneInString(rest[size:])
	}
	return wordly(r)
}

func wordly(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// clientsOf returns the clients with a name; empty means all.
func clientsOf(name string, names []Name) (clients []string) {
	for _, n := range names {
		if handle(n.Text) != handle(name) {
			continue
		}
		if n.Client == "" {
			return nil
		}
		if !slices.Contains(clients, n.Client) {
			clients = append(clients, n.Client)
		}
	}
	return clients
}
