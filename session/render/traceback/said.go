package traceback

import (
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// first returns the lines that state the error.
func first(name, value string) []string {
	switch {
	case value == "" && name == "":
		return nil
	case value == "":
		return []string{name}
	case name == "" || value == name || strings.HasPrefix(value, name+":"), // Julia's values begin with the name,
		name == "ERROR" && strings.HasPrefix(value, "Error"): // and R's with a text that serves as its name
		return []string{value}
	}
	return []string{name + ": " + value}
}

// place matches the place of a syntax error, which IPython adds to the value but not to the traceback.
var place = regexp.MustCompile(` \([^()]+, line (\d+)\)$`)

// around finds the lines at the end of a traceback with the error's name and value: frames are before them, and notes of
// the exception after them. A value may have any lines, even ones that look like frames.
func around(all []string, name, value string) (body, notes []string, shown string) {
	values := []string{value}
	if m := place.FindStringIndex(value); m != nil {
		values = append(values, value[:m[0]])
	}
	for _, v := range values {
		said := strings.Split(strings.TrimRight(name+": "+v, " :"), "\n")
		if v == "" {
			said = []string{name}
		}
		if at := lastIndex(all, said); at >= 0 {
			return all[:at], lo.Compact(all[at+len(said):]), v
		}
	}
	return all, nil, value
}

// lastIndex returns the last position of lines in all, -1 if absent. A colon at the end of one line is ignored.
func lastIndex(all, lines []string) int {
	tries := 0
	for at := len(all) - len(lines); at >= 0 && tries < mostTries; at-- {
		if !same(all[at], lines[0]) {
			continue
		}
		tries++ // a value could be made to match almost everywhere
		if slices.EqualFunc(all[at:at+len(lines)], lines, same) {
			return at
		}
	}
	return -1
}

// same reports whether two lines differ only in trailing spaces and colons.
func same(a, b string) bool {
	return a == b || strings.TrimRight(a, " \t:") == strings.TrimRight(b, " \t:")
}

var (
	ruler   = regexp.MustCompile(`^\s*[-─═=]{4,}\s*$`)
	heading = regexp.MustCompile(`^(?:\S+\s+)?Traceback(?: \(most recent call last\))?:?$`)
)

// own returns the lines of a traceback of unknown form, without those that only state the error.
func own(all []string, name, value string) (rest []string, cut bool) {
	said := map[string]bool{name: true, name + ": " + strings.SplitN(value, "\n", 2)[0]: true}
	for line := range strings.SplitSeq(value, "\n") {
		said[strings.TrimRight(line, " \t")] = true
	}
	for _, line := range all {
		if said[line] || said[strings.TrimRight(line, ": ")] || ruler.MatchString(line) || heading.MatchString(line) {
			continue
		}
		if line == "" && (len(rest) == 0 || rest[len(rest)-1] == "") {
			continue
		}
		if textfmt.Size(line) > mostLine {
			line, cut = clip(line, mostLine), true
		}
		rest = append(rest, line)
	}
	for len(rest) > 0 && rest[len(rest)-1] == "" {
		rest = rest[:len(rest)-1]
	}
	if n := len(rest); n > mostLines {
		between := "… " + textfmt.Plural(n-mostLines, "more line")
		return slices.Concat(rest[:mostLines/2], []string{between}, rest[n-mostLines/2:]), true
	}
	return rest, cut
}
