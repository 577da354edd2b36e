package textdiff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Unified returns the change from old to new as a unified diff with context unchanged lines around each change, and
// name in its header. It is empty if the texts are equal.
//
// go-udiff, whose comparison this package uses, is not used for this: its writer gives wrong line numbers of the new
// text after a hunk of several changes, and counts lines from the beginning for each change, which takes seconds for
// a log of some megabytes, and conflicts are found with the document locked.
func Unified(name, old, new string, context int) string {
	old, new = valid(old), valid(new)
	if old == new {
		return ""
	}
	context = max(context, 0)
	a, b := splitLines(old), splitLines(new)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	spans := lineSpans(old, new)
	lineOf := func(lines []string) func(int) int { // converts ascending byte offsets to line numbers
		at, n := 0, 0
		return func(offset int) int {
			for at < offset && n < len(lines) {
				at += len(lines[n])
				n++
			}
			return n
		}
	}
	inA, inB := lineOf(a), lineOf(b)
	hunks := make([]span, len(spans)) // in lines
	for i, s := range spans {
		hunks[i] = span{a0: inA(s.a0), a1: inA(s.a1), b0: inB(s.b0), b1: inB(s.b1)}
	}
	for i := 0; i < len(hunks); {
		j := i + 1
		for j < len(hunks) && hunks[j].a0-hunks[j-1].a1 <= 2*context {
			j++
		}
		writeHunk(&out, a, b, hunks[i:j], context)
		i = j
	}
	return out.String()
}

// writeHunk writes neighbouring changes with the unchanged lines around and between them.
func writeHunk(out *strings.Builder, a, b []string, changes []span, context int) {
	first, last := changes[0], changes[len(changes)-1]
	before := min(context, first.a0)
	after := min(context, len(a)-last.a1)
	fmt.Fprintf(out, "@@ -%s +%s @@\n",
		lineRange(first.a0-before, last.a1+after), lineRange(first.b0-before, last.b1+after))
	at := first.a0 - before
	for _, c := range changes {
		writeLines(out, ' ', a[at:c.a0])
		writeLines(out, '-', a[c.a0:c.a1])
		writeLines(out, '+', b[c.b0:c.b1])
		at = c.a1
	}
	writeLines(out, ' ', a[at:last.a1+after])
}

// lineRange formats the lines from start up to end, counted from 0, as in unified diffs.
func lineRange(start, end int) string {
	switch n := end - start; n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprintf("%d", start+1)
	default:
		return fmt.Sprintf("%d,%d", start+1, n)
	}
}

func writeLines(out *strings.Builder, mark byte, lines []string) {
	for _, l := range lines {
		out.WriteByte(mark)
		out.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }

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
