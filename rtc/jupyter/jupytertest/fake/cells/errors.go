package cells

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
)

// notUnderstood is the error of a Python feature that this package lacks.
type notUnderstood string

func (e notUnderstood) Error() string { return string(e) }

// failure is a raised exception.
type failure struct{ name, text string }

func (f *failure) Error() string { return f.name + ": " + f.text }

func raised(name, format string, a ...any) error { return &failure{name, fmt.Sprintf(format, a...)} }

// exceptionClass is an exception class: a function that makes an exception. The text of a KeyError is the repr of its
// argument.
func exceptionClass(name string) *starlark.Builtin {
	return gives(name, "*", func(a args) value {
		text := joined(a[0].(starlark.Tuple), ", ", str)
		if name == "KeyError" {
			text = joined(a[0].(starlark.Tuple), ", ", repr)
		}
		return &object{kind: name, text: name + "(" + quote(text) + ")", of: &failure{name, text}}
	})
}

// raise implements the rewritten raise statement.
func raise(a args) error {
	switch x := a[0].(type) {
	case *starlark.Builtin:
		return &failure{name: x.Name()}
	case *object:
		if f, ok := x.of.(*failure); ok {
			return f
		}
	}
	return notUnderstood("raise " + repr(a[0]))
}

// exceptions are the classes that cells can name.
var exceptions = strings.Fields(`BaseException Exception ArithmeticError AssertionError AttributeError ConnectionError EOFError FileNotFoundError ImportError
	IndexError KeyboardInterrupt KeyError LookupError MemoryError NameError NotImplementedError OSError OverflowError PermissionError
	RuntimeError StopIteration TimeoutError TypeError UnicodeError ValueError ZeroDivisionError`)

// missing are builtin names of Python that this package lacks, so that their use is not a NameError.
var missing = strings.Fields(`Ellipsis In ModuleNotFoundError NotImplemented Out RecursionError SyntaxError SystemExit Warning UserWarning aiter anext
	ascii bin breakpoint bytearray callable classmethod compile complex delattr divmod eval exec filter format frozenset help hex id
	isinstance issubclass iter locals map memoryview next object oct pow property quit round setattr slice staticmethod sum super vars`)

// translations are Python's exceptions for Starlark's errors.
var translations = []struct {
	from       *regexp.Regexp
	name, text string
}{
	{regexp.MustCompile(`(?:division|modulo) by zero`), "ZeroDivisionError", "division by zero"},
	{regexp.MustCompile(`^(list|tuple|string) index .*out of range`), "IndexError", "$1 index out of range"},
	{regexp.MustCompile(`^key "(.*)" not in dict`), "KeyError", "'$1'"},
	{regexp.MustCompile(`^key (.*) not in dict`), "KeyError", "$1"},
	{regexp.MustCompile(`stack overflow`), "RecursionError", "maximum recursion depth exceeded"},
	{regexp.MustCompile(`^global variable (\S+) referenced before assignment`), "NameError", "name '$1' is not defined"},
	{regexp.MustCompile(`computation cancelled`), "KeyboardInterrupt", ""},
}

// translate returns the exception for an error, or nil and the unsupported word.
func translate(err error) (f *failure, unknown string) {
	var word notUnderstood
	var unresolved resolve.ErrorList
	if errors.As(err, &f) || errors.As(err, &word) {
		return f, string(word)
	}
	if errors.As(err, &unresolved) {
		name, ok := strings.CutPrefix(unresolved[0].Msg, "undefined: ")
		name, _, _ = strings.Cut(name, " ") // without Starlark's suggestion
		if !ok || slices.Contains(missing, name) {
			return nil, name
		}
		return &failure{"NameError", "name '" + name + "' is not defined"}, ""
	}
	for _, t := range translations {
		if m := t.from.FindStringSubmatchIndex(err.Error()); m != nil {
			return &failure{t.name, string(t.from.ExpandString(nil, t.text, err.Error(), m))}, ""
		}
	}
	return nil, err.Error()
}
