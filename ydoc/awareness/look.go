package awareness

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Initials returns the one to three letters of a user's circle: a leading abbreviation in the display name ("AI
// Agent" gives "AI"), else the first letters of its first and last word ("Anna Maria Weiß" gives "AW").
func Initials(displayName string) string {
	words := strings.FieldsFunc(displayName, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	if len(words) == 0 {
		return "?"
	}
	if abbreviation(words[0]) {
		return words[0]
	}
	first := initial(words[0])
	if len(words) == 1 {
		return first
	}
	return first + initial(words[len(words)-1])
}

// abbreviation reports whether word consists of two or three capitals.
func abbreviation(word string) bool {
	n := utf8.RuneCountInString(word)
	return (n == 2 || n == 3) && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsUpper(r) })
}

// initial returns the first letter of word in upper case, with its marks.
func initial(word string) string {
	for i, r := range word {
		if i > 0 && !unicode.IsMark(r) {
			return strings.ToUpper(word[:i])
		}
	}
	return strings.ToUpper(word)
}

// palette has distinguishable colours that are visible as a caret on white, and on which JupyterLab's dark initials
// are legible.
var palette = [...]string{
	"#e57373", "#f0883e", "#d4a72c", "#6cc070", "#3fb8a0", "#45b2d6",
	"#6aa5f0", "#9a8cf0", "#bb86e0", "#e07ab8", "#c8937e", "#90a4ae",
}

// Color returns a CSS colour for name, always the same.
func Color(name string) string { return Colors(name)[0] }

// Colors returns all colours of the palette, the one for name first.
func Colors(name string) []string {
	h := fnv.New32a()
	h.Write([]byte(name))
	first := h.Sum32() % uint32(len(palette))
	return append(append(make([]string, 0, len(palette)), palette[first:]...), palette[:first]...)
}
