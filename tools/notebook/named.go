package notebook

import (
	"fmt"
	"path"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

// A named is a condition on the name of a file; case does not matter.
type named struct {
	part    string // in lower case
	pattern string // of [path.Match], "" for none
}

// parseNamed parses a part of a name or a pattern; "" matches every name.
func parseNamed(s string) (named, error) {
	if strings.Contains(s, "/") {
		return named{}, fmt.Errorf("name %s contains a folder: give the folder as path, and as name only the file's name", textfmt.Quoted(s))
	}
	n := named{part: strings.ToLower(s)}
	if !strings.ContainsAny(s, "*?[") {
		return n, nil
	}
	n.pattern = strings.ReplaceAll(n.part, "[!", "[^") // as in a shell
	if _, err := path.Match(n.pattern, ""); err != nil {
		return named{}, fmt.Errorf("name %s is not a pattern: * stands for any characters, ? for one, [a-c] for one of these, and \\[ for a bracket", textfmt.Quoted(s))
	}
	return n, nil
}

// fits reports whether a notebook's name contains the part, or matches the pattern, with or without its extension.
func (n named) fits(name string) bool {
	name = strings.ToLower(name)
	if strings.Contains(name, n.part) {
		return true
	}
	if n.pattern == "" {
		return false
	}
	whole, _ := path.Match(n.pattern, name) // the pattern is valid
	stem, _ := path.Match(n.pattern, strings.TrimSuffix(name, ".ipynb"))
	return whole || stem
}
