package textfmt

import "strings"

// Only the answering code knows which tools a client has; the code that words an error or a note does not. So such a text
// marks a clause about tools, which can be left out, and the one place that knows the tools settles it.

// The marks are of Unicode's private use area, which programs' texts do not use.
const (
	hintBegin = '\ue0f1'
	hintEnd   = '\ue0f2'
)

// Hint marks a clause of a text that names tools. It begins with the separator from the text before, such as "; ".
func Hint(clause string) string { return string(hintBegin) + clause + string(hintEnd) }

// SettleHints replaces each marked clause of a text by the result of settle.
func SettleHints(text string, settle func(clause string) string) string {
	if !strings.ContainsRune(text, hintBegin) {
		return text
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, string(hintBegin))
		out.WriteString(strings.ReplaceAll(before, string(hintEnd), "")) // of a clause whose beginning was cut off
		if !found {
			return out.String()
		}
		clause, after, whole := strings.Cut(rest, string(hintEnd))
		if whole { // or its end was cut off
			out.WriteString(settle(clause))
		}
		text = after
	}
}

// Fixed is errors.New for a text without quoted values: the error's Kind is its text, so that it may be logged.
func Fixed(text string) error { return &fixedError{text} }

// A fixedError is a pointer, so that two errors with the same text are different.
type fixedError struct{ text string }

func (e *fixedError) Error() string { return e.text }

// Kind returns the text, which identifies the kind of the error.
func (e *fixedError) Kind() string { return e.text }
