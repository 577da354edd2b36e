// Package loginpage describes an HTML page that a server returned instead of an API answer.
package loginpage

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"unicode"
)

const (
	// mostRead is how much of a page is read, in bytes.
	mostRead = 64 << 10
	// mostTitle is the length at which a title is cut, in characters.
	mostTitle = 60
)

var (
	titles    = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)
	passwords = regexp.MustCompile(`(?i)<input[^>]*type\s*=\s*["']?password\b`)
	logins    = regexp.MustCompile(`(?i)log-?_?in|sign-?_?in|auth|sso|saml|adfs`)
)

// Page describes a page.
type Page struct {
	// Title is the page's title, on one line and shortened; "" for none.
	Title string
	// Login is set if the page asks for a password.
	Login bool
}

// Read reads the beginning of a page. An unreadable part is left out.
func Read(body io.Reader) Page {
	text, _ := io.ReadAll(io.LimitReader(body, mostRead))
	p := Page{Login: passwords.Match(text)}
	if m := titles.FindSubmatch(text); m != nil {
		p.Title = oneLine(html.UnescapeString(string(m[1])))
	}
	return p
}

// String returns the title and whether the page asks for a password.
func (p Page) String() string {
	text := "a page without a title"
	if p.Title != "" {
		text = fmt.Sprintf("%q", p.Title)
	}
	if p.Login {
		text += ", which asks for a password"
	}
	return text
}

// IsLogin reports whether a path looks like a login page's, by the conventions of common servers.
func IsLogin(path string) bool { return logins.MatchString(path) }

func oneLine(text string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	text = strings.Join(words, " ")
	if runes := []rune(text); len(runes) > mostTitle {
		return string(runes[:mostTitle]) + "…"
	}
	return text
}
