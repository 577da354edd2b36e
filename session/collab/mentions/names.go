package mentions

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Name is what an agent is called by.
type Name struct {
	Text string
	// Client is the client that is called so, "" if every one of this program is.
	Client string
}

// handle is a name as it is written behind an @: in chats, spaces are dashes.
func handle(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), "-"))
}

// called is the name with which a text begins behind its @, the longest of several, and where that name ends.
func called(text string, names []Name) (name string, end int) {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		low = text // letters whose lower case is of another length are in no name that is worth the trouble
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

// goesOn reports whether a word goes on in a text, so that what stands before it is only its beginning.
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

// clientsOf are the clients that are called by a name: none stands for all.
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
