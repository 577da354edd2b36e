package textfmt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/samber/lo"
)

// Size counts the characters of s, that is Unicode code points, as all limits of texts do.
func Size(s string) int { return utf8.RuneCountInString(s) }

// ShortestMarked is the smallest limit at which a cut shows the number of missing characters; below it, a cut shows
// only an ellipsis.
const ShortestMarked = 80

// Cut shortens s to at most limit characters and reports whether it had to. Head and tail stay, because a traceback ends
// with the error and a log with the last numbers; between them it writes the number of missing characters. It cuts at line
// ends, or else not inside a number; and it never splits a character, not even one of several code points (a letter and its
// accent, the parts of an emoji).
func Cut(s string, limit int) (string, bool) { return cut(s, limit, 3) }

// CutTail is [Cut], but only the tail stays.
func CutTail(s string, limit int) (string, bool) { return cut(s, limit, 0) }

// cut shortens s to limit characters, of which as many fifths are the head.
func cut(s string, limit, fifths int) (string, bool) {
	limit = max(limit, 0)
	if len(s) <= limit || Size(s) <= limit {
		return s, false
	}
	switch {
	case limit == 0:
		return "", true
	case limit < ShortestMarked && fifths == 0:
		runes := lastRunes(s, limit+clusterMost)
		return "…" + string(runes[after(runes, len(runes)-limit+1):]), true
	case limit < ShortestMarked:
		runes, _ := firstRunes(s, limit+clusterMost)
		return string(runes[:Before(runes, outsideNumber(runes, limit-1, -1))]) + "…", true
	}
	size := Size(s)
	mark := Marker(size) // as long as possible: at most all can be missing
	keep := limit - Size(mark)
	tail := keep - keep*fifths/5
	// Only the ends are decoded: a log can have a hundred million characters.
	first, whole := firstRunes(s, keep-tail+clusterMost)
	head := Before(first, atLineEnd(first, keep-tail, -1))
	last := first
	if !whole {
		last = lastRunes(s, tail+clusterMost)
	}
	at := after(last, atLineEnd(last, max(len(last)-tail, 0), 1))
	missing := size - head - (len(last) - at)
	return string(first[:head]) + Marker(missing) + string(last[at:]), true
}

// atLineEnd moves a cut at i to a line end: back if step is -1, or on if it is 1. Without one nearby, it moves the cut out of
// a number.
func atLineEnd(runes []rune, i, step int) int {
	nearby := min(clusterMost, lo.Ternary(step < 0, i, len(runes)-i)/2)
	for at := i; nearby >= 0; at, nearby = at+step, nearby-1 {
		if at < len(runes) && step < 0 && runes[at] == '\n' || at > 0 && step > 0 && runes[at-1] == '\n' {
			return at
		}
	}
	return outsideNumber(runes, i, step)
}

// longestNumber is the maximum length of a number that is kept whole.
const longestNumber = 40

// outsideNumber moves a cut at i out of a number, back or on.
func outsideNumber(runes []rune, i, step int) int {
	for at := i; at > 0 && at < len(runes) && max(at-i, i-at) < longestNumber; at += step {
		if !strings.ContainsRune(ofNumbers, runes[at-1]) || !strings.ContainsRune(ofNumbers, runes[at]) {
			return at
		}
	}
	return i
}

// ofNumbers are the characters of numbers.
const ofNumbers = "0123456789.,_eE+-"

// clusterMost is how many characters near a cut are checked for those that belong together.
const clusterMost = 256

// firstRunes decodes the first n characters, and reports whether that is all.
func firstRunes(s string, n int) (runes []rune, whole bool) {
	runes = make([]rune, 0, min(n, len(s)))
	for _, r := range s {
		if len(runes) == n {
			return runes, false
		}
		runes = append(runes, r)
	}
	return runes, true
}

// lastRunes decodes the last n characters.
func lastRunes(s string, n int) []rune {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return []rune(s[at:])
}

// Marker returns the text that replaces that many characters.
func Marker(missing int) string {
	return "\n… [" + Thousands(missing) + " characters left out] …\n"
}

// cutMark matches the texts of [Marker].
var cutMark = regexp.MustCompile("\n… \\[[0-9,]+ characters left out\\] …\n")

// Marked reports whether a text was shortened by [Cut]. A source that is written back shortened would lose its middle.
func Marked(s string) bool { return cutMark.MatchString(s) }

// Before moves a cut at i back to the beginning of a visible character.
func Before(runes []rune, i int) int {
	begin, _ := around(runes, i)
	return begin
}

// after moves a cut at i on to the beginning of the next visible character.
func after(runes []rune, i int) int {
	_, end := around(runes, i)
	return end
}

// around returns the begin and end of the visible character that a cut at i would split; i twice if it splits none.
func around(runes []rune, i int) (begin, end int) {
	if i <= 0 || i >= len(runes) {
		return i, i
	}
	end = max(0, i-clusterMost)
	rest, state := string(runes[end:min(len(runes), i+clusterMost)]), -1
	for end < i {
		begin = end
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		end += Size(cluster)
	}
	if end == i {
		begin = i
	}
	return begin, end
}

// Thousands formats n with commas.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns "1 cell" or "3 cells".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		noun += "e"
	}
	return Thousands(n) + " " + noun + "s"
}

// Kilobytes formats a size in bytes for people: "840 B", "24.1 kB", "1.2 MB".
func Kilobytes(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
}

// ANSI matches terminal control sequences (ECMA-48): CSI such as colours, OSC such as links, and short ones.
var ANSI = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

// Plain removes terminal control sequences, which are colours for people and noise for a model.
func Plain(s string) string {
	if !strings.ContainsRune(s, '\x1b') {
		return s
	}
	return ANSI.ReplaceAllString(s, "")
}

// Lines converts line ends to "\n", the only form that JupyterLab's editors keep: with others, positions in the shared
// text and in the editor would differ.
func Lines(s string) string {
	if !strings.ContainsRune(s, '\r') {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// Quoted quotes a value for an error message: on one line, and shortened if it is long.
func Quoted(s string) string {
	const most = 200
	if Size(s) > most {
		short, _ := Cut(Lines(s), ShortestMarked-1)
		return strconv.Quote(short) + " (" + Plural(Size(s), "character") + ")"
	}
	return strconv.Quote(s)
}

// QuotedList returns values in quotation marks, separated by commas.
func QuotedList[T any](values []T) string {
	return strings.Join(lo.Map(values, func(v T, _ int) string { return Quoted(fmt.Sprint(v)) }), ", ")
}
