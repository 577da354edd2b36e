package traceback

import (
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// first is what the error is.
func first(name, value string) []string {
	switch {
	case value == "" && name == "":
		return nil
	case value == "":
		return []string{name}
	case name == "" || value == name || strings.HasPrefix(value, name+":"), // Julia's values begin with the name
		name == "ERROR" && strings.HasPrefix(value, "Error"): // and R's with what is as good as its only name
		return []string{value}
	}
	return []string{name + ": " + value}
}

// place is where a syntax error is, which IPython adds to the value but not to the traceback.
var place = regexp.MustCompile(` \([^()]+, line (\d+)\)$`)

// around finds the lines in which a traceback ends with the error's name and value: what is before them are frames,
// and what is behind are notes that were added to the exception. A value has any lines, even such as look like frames.
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

// lastIndex is where lines last stand one below the other, -1 for nowhere. A colon at the end of one alone is nothing.
func lastIndex(all, lines []string) int {
	tries := 0
	for at := len(all) - len(lines); at >= 0 && tries < mostTries; at-- {
		if !same(all[at], lines[0]) {
			continue
		}
		tries++ // a value could be made so that almost all of it stands everywhere
		if slices.EqualFunc(all[at:at+len(lines)], lines, same) {
			return at
		}
	}
	return -1
}

// same reports whether two lines differ in nothing but what is at their ends.
func same(a, b string) bool {
	return a == b || strings.TrimRight(a, " \t:") == strings.TrimRight(b, " \t:")
}

var (
	ruler   = regexp.MustCompile(`^\s*[-─═=]{4,}\s*$`)
	heading = regexp.MustCompile(`^(?:\S+\s+)?Traceback(?: \(most recent call last\))?:?$`)
)

// own is the lines of a traceback that is not understood, without those that only say what the error is.
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
