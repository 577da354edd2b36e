package cells

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

var (
	literal   = regexp.MustCompile(`(?s)'''.*?'''|""".*?"""|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|#[^\n]*`)
	magicLine = regexp.MustCompile(`(?m)^([ \t]*)([%!][^\n]+|\w[\w.]*\?)$`)
	importing = regexp.MustCompile(`(?m)(^[ \t]*|[;:][ \t]*)(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+([^;\n#()*]+)`)
	raising   = regexp.MustCompile(`(?m)(^[ \t]*|[;:][ \t]*)raise[ \t]+([^;\n#]+)`)
	longNum   = regexp.MustCompile(`\b\d+(?:_\d+)+\b`)
)

// mask returns the source, at the same length, with the content of strings and comments masked.
func mask(src string) string {
	return literal.ReplaceAllStringFunc(src, func(s string) string {
		if s[0] == '#' {
			return strings.Repeat("#", len(s))
		}
		return s[:1] + strings.Repeat("\x01", len(s)-2) + s[:1]
	})
}

// edit replaces each match outside strings and comments by the result of by; group returns the text of a group of the
// match.
func edit(src string, re *regexp.Regexp, by func(group func(int) string) string) string {
	var b strings.Builder
	last := 0
	for _, m := range re.FindAllStringSubmatchIndex(mask(src), -1) {
		b.WriteString(src[last:m[0]])
		b.WriteString(by(func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return src[m[2*i]:m[2*i+1]]
		}))
		last = m[1]
	}
	return b.String() + src[last:]
}

// rewritten returns a cell as Starlark: its magics, imports, raises and long numbers are rewritten, each on its own
// line.
func rewritten(src string) string {
	src = edit(src, magicLine, func(group func(int) string) string {
		return group(1) + "magic_(" + strconv.Quote(group(2)) + ")"
	})
	src = edit(src, importing, func(group func(int) string) string {
		var out []string
		for part := range strings.SplitSeq(group(3), ",") {
			name, as, _ := strings.Cut(strings.TrimSpace(part), " as ")
			if from := group(2); from != "" {
				out = append(out, cmp.Or(as, name)+` = import_("`+from+`").`+name)
				continue
			}
			if as == "" {
				name, _, _ = strings.Cut(name, ".")
			}
			out = append(out, cmp.Or(as, name)+` = import_("`+name+`")`)
		}
		return group(1) + strings.Join(out, "; ")
	})
	src = edit(src, raising, func(group func(int) string) string { return group(1) + "raise_(" + group(2) + ")" })
	return edit(src, longNum, func(group func(int) string) string { return strings.ReplaceAll(group(0), "_", "") })
}

// wrong reports whether a cell is invalid in any language: its brackets are not balanced.
func wrong(src string) bool {
	count := func(s string) int { return strings.Count(mask(src), s) }
	return count("(") != count(")") || count("[") != count("]") || count("{") != count("}")
}
