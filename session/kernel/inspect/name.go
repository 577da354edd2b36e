package inspect

import (
	"fmt"
	"strings"
	"unicode"
)

// MaxName bounds a name, in characters.
const MaxName = 500

// A NameError reports why the name of a variable is invalid.
type NameError struct{ Name, Reason string }

func (e *NameError) Error() string {
	name := e.Name
	if r := []rune(name); len(r) > 100 {
		name = string(r[:100]) + "…"
	}
	return fmt.Sprintf("%q is not a variable: %s; give an identifier such as df, or a path of them such as model.coef_, in R model$coefficients (no calls, no subscripts)", name, e.Reason)
}

// checkParts checks the length of a name and the characters of its parts, which are separated by one of the separators. The
// error is a *NameError.
func checkParts(name, separators string, allowed func(r rune, first bool) bool) error {
	switch {
	case name == "":
		return &NameError{name, "it is empty"}
	case len([]rune(name)) > MaxName:
		return &NameError{name, fmt.Sprintf("it is longer than %d characters", MaxName)}
	}
	first := true
	for _, r := range name + separators[:1] {
		switch separates := strings.ContainsRune(separators, r); {
		case separates && first:
			return &NameError{name, "a part of it is empty"}
		case !separates && !allowed(r, first):
			return &NameError{name, fmt.Sprintf("%q is not allowed there", r)}
		default:
			first = separates
		}
	}
	return nil
}

// CheckName checks that name is an identifier or a dotted path of identifiers. The error is a *NameError.
func CheckName(name string) error {
	err := checkParts(name, ".", func(r rune, first bool) bool {
		// The character classes of Python's identifiers; names that pass in excess find no variable.
		begins := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
		return begins || !first && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)
	})
	if err == nil && (strings.HasPrefix(name, "__") || strings.Contains(name, ".__")) {
		err = &NameError{name, "names with two leading underscores are Python's own"}
	}
	return err
}

// checkAnyName checks a name before its language is known.
func checkAnyName(name string) error {
	err := CheckName(name)
	if err != nil && (checkRName(name) == nil || checkJuliaName(name) == nil) {
		return nil
	}
	return err
}
