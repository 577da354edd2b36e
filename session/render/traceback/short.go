package traceback

import (
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// The bounds of the short text.
const (
	mostFrames = 6   // of the notebook's cells
	mostCauses = 2   // of the exceptions before the last
	mostCode   = 160 // characters of a line of code
	mostLines  = 40  // of a traceback of unknown form
	mostLine   = 500 // characters of such a line
	mostTries  = 20  // lines that look like the first line of the value
)

// Short returns an error output as short text: the name and value of the error, and below them, innermost last, the frames
// of the notebook's cells, each with its code line. If the error was raised in other code, that place is the last frame.
// Exceptions that led to the error follow, a line each.
//
// In a traceback without such frames, all lines are kept but those that repeat the first one. Short also reports whether
// frames or lines of the traceback are left out.
func Short(name, value string, lines []string) (text string, short bool) {
	name, value = strings.TrimSpace(clean(name)), strings.TrimSpace(clean(value))
	all := strings.Split(clean(strings.Join(lines, "\n")), "\n")
	for i, line := range all {
		all[i] = strings.TrimRight(line, " \t")
	}
	body, notes, shown := around(all, name, value)
	chain := exceptions(body)
	frames, more := framesOf(chain[len(chain)-1])
	if !slices.ContainsFunc(frames, func(f frame) bool { return f.where != "" }) {
		rest, cut := own(all, name, value)
		return strings.Join(append(first(name, value), rest...), "\n"), cut
	}
	if m := place.FindStringSubmatch(value); m != nil && shown != value && frames[len(frames)-1].line == "" {
		frames[len(frames)-1].line = m[1]
	}
	if !strings.HasSuffix(name, "SyntaxError") && name != "IndentationError" && name != "TabError" {
		for i := range frames {
			frames[i].caret = -1 // it underlines the call, which the code line shows well enough
		}
	}
	said := first(name, shown)
	stops, out := path(frames)
	causes, hidden := causesOf(chain[:len(chain)-1], strings.Join(said, ""))
	text = strings.Join(slices.Concat(said, notes, stops, causes), "\n")
	return text, more || out || hidden
}

// clean returns text without colours, and with "\n" line ends.
func clean(s string) string { return textfmt.Lines(textfmt.Plain(strings.ToValidUTF8(s, "\uFFFD"))) }

// exceptions splits the frames of an exception from those of the exceptions that led to it.
func exceptions(lines []string) [][]string {
	chain := [][]string{nil}
	for _, line := range lines {
		switch strings.TrimSpace(line) {
		case "During handling of the above exception, another exception occurred:",
			"The above exception was the direct cause of the following exception:":
			chain = append(chain, nil)
		default:
			chain[len(chain)-1] = append(chain[len(chain)-1], line)
		}
	}
	return chain
}

var (
	title = regexp.MustCompile(`^(\S+)\s+Traceback \(most recent call last\):?$`)
	// The last line of an exception without a title, as in mode Plain.
	ending = regexp.MustCompile(`^[A-Za-z_][\w.]*(?:: .*)?$`)
)

// causesOf lists the causes of the error, the nearest first. If not all fit, the very first stays, because it started the
// failure. Causes equal to the last error are left out.
func causesOf(chain [][]string, last string) (causes []string, hidden bool) {
	for _, lines := range slices.Backward(chain) {
		cause := saidAtEnd(lines)
		if cause == "" || cause == last {
			continue
		}
		causes = append(causes, "from "+clip(cause, mostCode))
	}
	if n := len(causes); n > mostCauses {
		between := "… " + textfmt.Plural(n-mostCauses, "more cause")
		return slices.Concat(causes[:mostCauses-1], []string{between}, causes[n-1:]), true
	}
	return causes, len(chain) > 0
}

// saidAtEnd returns the line with the name and value of an exception in the middle of a traceback.
func saidAtEnd(lines []string) string {
	name := ""
	for _, line := range lines {
		if m := title.FindStringSubmatch(line); m != nil {
			name = m[1]
			break
		}
	}
	for _, line := range slices.Backward(lines) {
		if name != "" && (strings.HasPrefix(line, name+":") || line == name) || name == "" && ending.MatchString(line) {
			return strings.TrimRight(line, ": ")
		}
	}
	return name
}

// path returns the shown frames, and whether others are left out.
func path(frames []frame) (shown []string, out bool) {
	cells := lo.CountBy(frames, func(f frame) bool { return f.cell })
	var between int // frames left out since the last shown one
	flush := func() {
		switch {
		case between < 0:
			shown = append(shown, "… more frames")
		case between > 0:
			shown = append(shown, "… "+textfmt.Plural(between, "more frame"))
		}
		between = 0
	}
	innermost := len(frames) - 1
	for innermost > 0 && frames[innermost].where == "" {
		innermost--
	}
	seen := 0
	for i, f := range frames {
		switch {
		case f.where == "":
			between = add(between, f.skipped)
		case f.cell && (cells <= mostFrames || seen < mostFrames/2 || seen >= cells-mostFrames/2), !f.cell && i == innermost:
			flush()
			shown = append(shown, f.lines()...)
		case f.cell:
			between = add(between, 1)
			out = true
		default:
			out = true
		}
		if f.cell {
			seen++
		}
	}
	flush()
	return shown, out
}

// add adds numbers of frames; -1 is unknown.
func add(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// lines formats a frame: its place and its code, with a marker under a syntax error.
func (f frame) lines() []string {
	text := f.where
	switch {
	case f.line == "":
	case f.cell && strings.HasPrefix(f.where, "Cell"):
		text += ", line " + f.line
	default:
		text += ":" + f.line
	}
	if f.function != "" {
		text += ", in " + clip(f.function, mostCode)
	}
	code := strings.TrimSpace(f.code)
	if code == "" || code == noSource {
		return []string{text}
	}
	text += ": "
	indent := len(f.code) - len(strings.TrimLeft(f.code, " \t"))
	caret := textfmt.Size(text) + f.caret - indent
	text += clip(code, mostCode)
	if f.caret < indent || f.caret-indent > mostCode {
		return []string{text}
	}
	return []string{text, strings.Repeat(" ", caret) + "^"}
}

// clip shortens a line that is too long.
func clip(s string, most int) string {
	if textfmt.Size(s) <= most {
		return s
	}
	runes := []rune(s)[:most]
	return string(runes[:textfmt.Before(runes, most-1)]) + "…"
}
