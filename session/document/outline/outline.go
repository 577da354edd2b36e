// Package outline finds the parts of cells that name their content: headings in Markdown, and the names that code defines.
package outline

import (
	"regexp"
	"slices"
	"strings"
)

// A Heading is a heading in Markdown.
type Heading struct {
	Line  int // from 0
	Level int // 1 to 6
	Text  string
}

var (
	heading = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	fence   = regexp.MustCompile("^ {0,3}(```+|~~~+)")
)

// Headings returns the headings of a Markdown text ("# Title"), without those in fenced code.
func Headings(source string) []Heading {
	var out []Heading
	open := ""
	for i, line := range strings.Split(source, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case open == "":
				open = m[1]
			case strings.HasPrefix(m[1], open) && strings.Trim(line, " \t"+open[:1]) == "":
				open = ""
			}
			continue
		}
		if m := heading.FindStringSubmatch(line); open == "" && m != nil {
			out = append(out, Heading{Line: i, Level: len(m[1]), Text: m[2]})
		}
	}
	return out
}

// definition matches the definitions at the beginning of a line of Python, R or Julia: functions, classes, and variables.
var definition = regexp.MustCompile(`^(?:(?:async )?def (\w+)|(?:class|function|(?:mutable )?struct) (\w+)|(\w+(?:, ?\w+)*) ?(?::[^=]+)?(?:=|<-)([^=]|$))`)

// Defines returns the names that code defines at the beginning of its lines, in their order, each once; a function has
// "()" after its name.
func Defines(source string) []string {
	var out []string
	for line := range strings.Lines(source) {
		m := definition.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		names := strings.FieldsFunc(m[2]+m[3], func(r rune) bool { return r == ',' || r == ' ' })
		if m[1] != "" {
			names = []string{m[1] + "()"}
		}
		for _, name := range names {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
