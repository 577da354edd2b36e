package python

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"go.starlark.net/starlark"
)

// Complete finds the names that could stand before the cursor, which counts characters. They replace what is between
// start and end. It must not be called while a cell runs, and neither may the other methods of this file.
func (in *Interp) Complete(code string, cursor int) (matches []string, start, end int) {
	runes := []rune(code)
	end = min(max(cursor, 0), len(runes))
	start = end
	for start > 0 && isWordRune(runes[start-1]) {
		start--
	}
	prefix := string(runes[start:end])
	if prefix == "" {
		return nil, start, end
	}
	for name := range in.env {
		if strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, mark) {
			matches = append(matches, name)
		}
	}
	for word := range keywords {
		if strings.HasPrefix(word, prefix) {
			matches = append(matches, word)
		}
	}
	slices.Sort(matches)
	return slices.Compact(matches), start, end
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Inspect describes the object whose name is at the cursor.
func (in *Interp) Inspect(code string, cursor int) (text string, found bool) {
	runes := []rune(code)
	end := min(max(cursor, 0), len(runes))
	for end < len(runes) && isWordRune(runes[end]) {
		end++
	}
	start := end
	for start > 0 && (isWordRune(runes[start-1]) || runes[start-1] == '.') {
		start--
	}
	in.thread = &starlark.Thread{Name: "inspect"}
	text, found, err := in.about(string(runes[start:end]))
	return text, found && err == nil
}

// IsComplete tells whether a cell is "complete", "incomplete" or "invalid", and how far its next line is indented.
func (*Interp) IsComplete(code string) (status, indent string) {
	_, _, err := parse(dedented(code))
	var s *syntaxError
	switch {
	case err == nil:
		return "complete", ""
	case errors.As(err, &s) && s.msg == "incomplete input":
		return "incomplete", ""
	case errors.As(err, &s) && strings.HasPrefix(s.msg, "expected an indented block"):
		return "incomplete", "    "
	}
	return "invalid", ""
}

// History are the cells that were counted, the first one first.
func (in *Interp) History() []string {
	l, ok := in.env["In"].(*starlark.List)
	if !ok {
		return nil
	}
	var out []string
	for i := 1; i < l.Len(); i++ {
		out = append(out, text(l.Index(i)))
	}
	return out
}
