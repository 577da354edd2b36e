package mentions

import "strings"

// comment is a comment in code, up to the end of its line.
type comment struct {
	from, to int
	marker   string
}

// markers begin a comment in some language; see [speaks].
var markers = []string{"#", "//", "--", "%", ";"}

// comments returns the parts of code that are comments in some language: on each line, the text after the first marker
// outside a string. A marker must begin a line or follow a space, which excludes a%b and a//b; # may be anywhere.
func comments(source string) (out []comment) {
	var quote string // of the string that contains at
	for at := 0; at < len(source); {
		rest := source[at:]
		switch {
		case quote != "":
			switch {
			case rest[0] == '\\' && len(rest) > 1 && rest[1] != '\n':
				at++
			case strings.HasPrefix(rest, quote):
				at += len(quote) - 1
				quote = ""
			case rest[0] == '\n' && len(quote) == 1:
				quote = ""
			}
			at++
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, "'''"):
			quote = rest[:3]
			at += 3
		case rest[0] == '"', rest[0] == '\'' && opens(source[:at]):
			quote = rest[:1]
			at++
		default:
			marker := markerAt(source, at)
			if marker == "" {
				at++
				continue
			}
			c := comment{from: at, to: len(source), marker: marker}
			if eol := strings.IndexByte(rest, '\n'); eol >= 0 {
				c.to = at + eol
			}
			at = c.to
			out = append(out, c)
		}
	}
	return out
}

// opens reports whether a single quote behind a text opens a string. Behind a name or a bracket it transposes a matrix,
// unless the name is a string prefix.
func opens(before string) bool {
	word := before[len(strings.TrimRightFunc(before, wordly)):]
	if word == "" {
		return !strings.HasSuffix(before, ")") && !strings.HasSuffix(before, "]")
	}
	return len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbfu") == ""
}

func markerAt(source string, at int) string {
	for _, m := range markers {
		if !strings.HasPrefix(source[at:], m) {
			continue
		}
		if m == "#" || at == 0 || strings.ContainsRune(" \t\n;", rune(source[at-1])) {
			return m
		}
	}
	return ""
}

// speaks reports whether a marker begins a comment in a language, named as in notebooks.
func speaks(language, marker string) bool {
	switch strings.ToLower(language) {
	case "python", "ipython", "r", "julia", "ruby", "perl", "bash", "sh", "zsh", "powershell", "elixir", "nim", "coffeescript", "gnuplot":
		return marker == "#"
	case "matlab", "octave", "erlang", "prolog", "latex", "tex":
		return marker == "%" || marker == "#"
	case "sql", "lua", "haskell", "ada", "vhdl", "elm":
		return marker == "--"
	case "lisp", "common-lisp", "clojure", "scheme", "racket", "hy":
		return marker == ";"
	case "php", "hcl":
		return marker == "#" || marker == "//"
	case "":
		return marker == "#" || marker == "//"
	}
	return marker == "//"
}
