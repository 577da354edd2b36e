package textdiff

import (
	"regexp"
	"strings"
)

// LineEnds returns text with the line ends of like, which may have "\r\n" or "\r": a line in both keeps its line end,
// and a new line gets "\r\n" if most lines have it. Clients write "\n" for every line end.
func LineEnds(text, like string) string {
	text = UnixEnds(text)
	if !strings.Contains(like, "\r") {
		return text
	}
	old, ends := UnixEnds(like), lineEnd.FindAllString(like, -1)
	usual := "\n"
	if 2*strings.Count(like, "\r\n") > len(ends) {
		usual = "\r\n"
	}
	var b strings.Builder
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			if old[at] != '\n' {
				b.WriteByte(old[at])
				continue
			}
			b.WriteString(ends[0])
			ends = ends[1:]
		}
	}
	for _, s := range diff(old, text) {
		keep(s.a0)
		ends = ends[strings.Count(old[s.a0:s.a1], "\n"):]
		at = s.a1
		b.WriteString(strings.ReplaceAll(text[s.b0:s.b1], "\n", usual))
	}
	keep(len(old))
	return b.String()
}

// UnixEnds returns a text with "\n" for each line end.
func UnixEnds(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// lineEnd finds the line ends of a text.
var lineEnd = regexp.MustCompile("\r\n|\r|\n")
