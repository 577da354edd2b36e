package textfmt

import "strings"

// Which tools a client has is known where it is answered, and not where an error or a note is worded. So what such a text
// says of tools is marked, as a whole clause that can be left out, and the one place that knows the tools settles it.

// The marks are of Unicode's private use area, which no text of a program has.
const (
	hintBegin = '\ue0f1'
	hintEnd   = '\ue0f2'
)

// Hint marks a clause of a text that names tools. It begins with what joins it to the text before, such as "; ".
func Hint(clause string) string { return string(hintBegin) + clause + string(hintEnd) }

// SettleHints replaces the marked clauses of a text by what settle makes of them.
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
