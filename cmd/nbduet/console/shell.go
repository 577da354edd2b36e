package console

import (
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Typed returns words as a person types them in a shell of the system goos.
func Typed(goos string, words ...string) string {
	var quoted []string
	for _, w := range words {
		switch {
		case plainWord.MatchString(w):
		case goos == "windows":
			w = `"` + w + `"`
		default:
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}
