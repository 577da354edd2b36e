package mentions

import (
	"strings"
	"unicode/utf8"
)

// call is a call of an agent in a text.
type call struct {
	from, to int // of the @ and of the end of the request, in bytes
	name     string
	says     string
	marker   string // of the comment, in code
}

// maxSays is the maximum stored length of a call's text, in bytes.
const maxSays = 2_000

// findIn finds the calls in a cell.
func findIn(typ, source string, names []Name) []call {
	if !strings.Contains(source, "@") {
		return nil
	}
	switch typ {
	case "markdown":
		return findInMarkdown(source, names)
	case "code":
		var calls []call
		for _, c := range comments(source) {
			for _, one := range findInText(source[:c.to], c.from, names) {
				one.marker = c.marker
				calls = append(calls, one)
			}
		}
		return calls
	}
	return nil
}

// findInText finds the calls in a text from an offset on.
func findInText(text string, from int, names []Name) (calls []call) {
	for at := from; ; {
		next := strings.IndexByte(text[at:], '@')
		if next < 0 {
			return calls
		}
		at += next
		name, n := called(text[at+1:], names)
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); name == "" || wordly(before) || before == '@' {
			at++
			continue
		}
		c := call{from: at, name: name}
		at += 1 + n
		c.to = len(text)
		if eol := strings.IndexByte(text[at:], '\n'); eol >= 0 {
			c.to = at + eol
		}
		c.says = said(text[at:c.to])
		at = c.to // the rest of the line is addressed to the first name in it
		calls = append(calls, c)
	}
}

// said returns the request behind a name.
func said(rest string) string {
	s := strings.TrimSuffix(behind(rest), "-->")
	if len(s) > maxSays {
		s = strings.ToValidUTF8(s[:maxSays], "")
	}
	return strings.TrimSpace(s)
}

// behind returns the text behind a name, without the separator.
func behind(rest string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), ",:;!–—"))
}

// findInMarkdown skips Markdown quotes and code.
func findInMarkdown(source string, names []Name) []call {
	plain := []byte(source)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if plain[i] == '@' {
				plain[i] = ' '
			}
		}
	}
	fence, at := "", 0
	for line := range strings.Lines(source) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			blank(at, at+len(line))
			if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == "" {
				fence = ""
			}
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
			blank(at, at+len(line))
		case strings.HasPrefix(text, ">"):
			blank(at, at+len(line))
		default:
			for from, to := range spansOfCode(line) {
				blank(at+from, at+to)
			}
		}
		at += len(line)
	}
	calls := findInText(string(plain), 0, names)
	for i, c := range calls {
		// The request is taken from the source: only the names in quotes and code were blanked.
		_, n := called(source[c.from+1:], names)
		calls[i].says = said(source[c.from+1+n : c.to])
	}
	return calls
}

// spansOfCode iterates over the spans between backticks in a line.
func spansOfCode(line string) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		for at := 0; at < len(line); {
			open := strings.IndexByte(line[at:], '`')
			if open < 0 {
				return
			}
			open += at
			ticks := len(line[open:]) - len(strings.TrimLeft(line[open:], "`"))
			end := strings.Index(line[open+ticks:], line[open:open+ticks])
			if end < 0 {
				at = open + ticks
				continue
			}
			to := open + ticks + end + ticks
			if !yield(open, to) {
				return
			}
			at = to
		}
	}
}
