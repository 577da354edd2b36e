package tools

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes here are characters, that is Unicode code points, which is what the tools' limits count.

// size counts the characters of s.
func size(s string) int { return utf8.RuneCountInString(s) }

// shortestMarked is the smallest limit at which the cut is marked with the number of missing characters; below it
// there is no room for more than an ellipsis.
const shortestMarked = 80

// cut shortens s to at most limit characters and tells whether it had to. Head and tail stay, because an error stands
// at the end of a traceback and the last numbers at the end of a log; between them stands how much is missing. A
// character is never cut through, nor one that is written with several code points (a letter and its accent, the
// parts of an emoji).
func cut(s string, limit int) (string, bool) {
	limit = max(limit, 0)
	if len(s) <= limit || size(s) <= limit {
		return s, false
	}
	runes := []rune(s)
	if limit < shortestMarked {
		if limit == 0 {
			return "", true
		}
		return string(runes[:before(runes, limit-1)]) + "…", true
	}
	mark := marker(len(runes)) // as long as it can get: no more than all can be missing
	keep := limit - size(mark)
	head := before(runes, keep-keep*2/5)
	tail := after(runes, len(runes)-keep*2/5)
	return string(runes[:head]) + marker(tail-head) + string(runes[tail:]), true
}

func marker(missing int) string {
	return "\n… [" + thousands(missing) + " characters left out] …\n"
}

// cutMark matches what [marker] makes.
var cutMark = regexp.MustCompile("\n… \\[[0-9,]+ characters left out\\] …\n")

// marked tells whether a text was shortened by [cut]. A source that is written back so would lose its middle.
func marked(s string) bool { return cutMark.MatchString(s) }

// markedWhy is why a text that is [marked] is refused.
const markedWhy = "holds the mark of a cut text (\"… [N characters left out] …\"), so it is not the whole source: read the cell with a larger maxCellData"

// before moves a cut at i back to where a character as people see it begins.
func before(runes []rune, i int) int {
	for i > 0 && i < len(runes) && joined(runes, i) {
		i--
	}
	return i
}

// after moves a cut at i on to where the next character begins.
func after(runes []rune, i int) int {
	for i > 0 && i < len(runes) && joined(runes, i) {
		i++
	}
	return i
}

const zeroWidthJoiner = '\u200d'

// joined tells whether the code point at i belongs to the character before it. It knows marks, joiners, variation
// selectors, skin tones and the second half of a line end; the rarer rules of Unicode's segmentation are left out.
func joined(runes []rune, i int) bool {
	r, prev := runes[i], runes[i-1]
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc), r == zeroWidthJoiner, prev == zeroWidthJoiner:
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones
		return true
	case r >= 0xe0020 && r <= 0xe007f: // tags of regional flags
		return true
	case r == '\n' && prev == '\r':
		return true
	}
	return false
}

// thousands writes n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is "1 cell" or "3 cells".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// kilobytes writes a size in bytes for people: "840 B", "24.1 kB", "1.2 MB".
func kilobytes(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}

// ansi matches the terminal's control sequences (ECMA-48): CSI such as colours, OSC such as links, and the short ones.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// plain removes the terminal's control sequences, which are colours to a person and noise to a model.
func plain(s string) string {
	if !strings.ContainsRune(s, '\x1b') {
		return s
	}
	return ansi.ReplaceAllString(s, "")
}

// lines puts the line ends of s into the one form that JupyterLab's editors keep, "\n": with any other one, positions
// in the shared text and in the editor part.
func lines(s string) string {
	if !strings.ContainsRune(s, '\r') {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// quoted is a value in an error message: on one line, and not the whole of it where it is long.
func quoted(s string) string {
	const most = 200
	if size(s) > most {
		short, _ := cut(lines(s), shortestMarked-1)
		return strconv.Quote(short) + " (" + plural(size(s), "character") + ")"
	}
	return strconv.Quote(s)
}
