package options

import (
	"strings"
	"unicode/utf8"
)

const (
	helpWidth  = 80
	helpColumn = 33 // where what a flag is begins
)

// Help lists the options for a terminal.
func (s *Set) Help() string {
	var b strings.Builder
	for _, o := range s.Options {
		head := "      --" + o.Name
		if o.Short != "" {
			head = "  -" + o.Short + ", --" + o.Name
		}
		if !o.flag() {
			head += "=" + o.Placeholder
		}
		b.WriteString(head)
		at := utf8.RuneCountInString(head)
		if at+2 > helpColumn {
			b.WriteByte('\n')
			at = 0
		}
		text := o.Help
		if len(o.Envs) > 0 {
			text = strings.TrimSuffix(text, ".") + " ($" + strings.Join(o.Envs, ", $") + ")."
		}
		for i, line := range Wrap(text, helpWidth-helpColumn) {
			if i > 0 {
				at = 0
			}
			b.WriteString(strings.Repeat(" ", helpColumn-at) + line + "\n")
		}
	}
	return b.String()
}

// Wrap breaks a text into lines of at most so many letters, between its words.
func Wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case line == "":
			line, length = word, n
		case length+1+n > width:
			lines = append(lines, line)
			line, length = word, n
		default:
			line, length = line+" "+word, length+1+n
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
