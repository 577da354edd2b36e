package inspect

import (
	"fmt"
	"strings"
	"unicode"
)

// MaxName is the most characters of a name.
const MaxName = 500

// A NameError says what is wrong with the name of a variable.
type NameError struct{ Name, Reason string }

func (e *NameError) Error() string {
	name := e.Name
	if r := []rune(name); len(r) > 100 {
		name = string(r[:100]) + "…"
	}
	return fmt.Sprintf("%q names no variable: %s; give an identifier such as df, or a path of them such as model.coef_, in R model$coefficients (no calls, no subscripts)", name, e.Reason)
}

// checkLength checks what holds for a name in any language.
func checkLength(name string) error {
	switch {
	case name == "":
		return &NameError{name, "it is empty"}
	case len([]rune(name)) > MaxName:
		return &NameError{name, fmt.Sprintf("it is longer than %d characters", MaxName)}
	}
	return nil
}

// CheckName checks that name is an identifier or a dotted path of identifiers. The error is a *NameError.
func CheckName(name string) error {
	if err := checkLength(name); err != nil {
		return err
	}
	for part := range strings.SplitSeq(name, ".") {
		switch {
		case part == "":
			return &NameError{name, "a part of it is empty"}
		case strings.HasPrefix(part, "__"):
			return &NameError{name, "names with two leading underscores are Python's own"}
		}
		for i, r := range part {
			// The classes of characters of Python's identifiers; what is left over of them finds no variable.
			begins := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
			goesOn := unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)
			if !begins && (i == 0 || !goesOn) {
				return &NameError{name, fmt.Sprintf("%q cannot stand there", r)}
			}
		}
	}
	return nil
}

// checkAnyName checks a name before it is known which language it is of.
func checkAnyName(name string) error {
	err := CheckName(name)
	if err != nil && (checkRName(name) == nil || checkJuliaName(name) == nil) {
		return nil
	}
	return err
}
