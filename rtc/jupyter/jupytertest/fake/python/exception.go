package python

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"
)

// exception is what an instance of BaseException has beside its fields.
type exception struct {
	args           starlark.Tuple
	cause, context *instance
	trace          []frame
	syntax         *syntaxError // of a SyntaxError
	file           string       // of a SyntaxError
}

// raised is an exception on its way through Go and Starlark.
type raised struct{ x *instance }

func (r *raised) Error() string { return r.x.class.name }

// exceptions are the builtin ones, each behind the one that it comes from.
const exceptions = `BaseException SystemExit<BaseException KeyboardInterrupt<BaseException GeneratorExit<BaseException
	Exception<BaseException StopIteration<Exception ArithmeticError<Exception ZeroDivisionError<ArithmeticError
	OverflowError<ArithmeticError AssertionError<Exception AttributeError<Exception EOFError<Exception ImportError<Exception
	ModuleNotFoundError<ImportError LookupError<Exception IndexError<LookupError KeyError<LookupError MemoryError<Exception
	NameError<Exception UnboundLocalError<NameError OSError<Exception FileNotFoundError<OSError FileExistsError<OSError
	PermissionError<OSError IsADirectoryError<OSError NotADirectoryError<OSError ConnectionError<OSError TimeoutError<OSError
	RuntimeError<Exception NotImplementedError<RuntimeError RecursionError<RuntimeError StdinNotImplementedError<NotImplementedError
	SyntaxError<Exception IndentationError<SyntaxError TypeError<Exception ValueError<Exception UnicodeError<ValueError
	UnicodeDecodeError<UnicodeError Warning<Exception UserWarning<Warning DeprecationWarning<Warning UsageError<Exception`

// exceptionf makes the error of a builtin exception with a text.
func (in *Interp) exceptionf(class, format string, args ...any) error {
	return in.raise(class, starlark.String(fmt.Sprintf(format, args...)))
}

// raise makes the error of a builtin exception.
func (in *Interp) raise(class string, args ...starlark.Value) error {
	x := in.newInstance(in.classes(class))
	x.exception = &exception{args: args}
	return &raised{x}
}

func (in *Interp) syntaxException(err error, file string) error {
	var s *syntaxError
	if !errors.As(err, &s) {
		return err
	}
	x := in.newInstance(in.classes(s.kind))
	x.exception = &exception{args: starlark.Tuple{starlark.String(s.msg)}, syntax: s, file: file}
	return &raised{x}
}

// exception is the exception that an error of Starlark, or of ours, stands for. It gets its traceback here.
func (in *Interp) exception(err error) *instance {
	var r *raised
	if !errors.As(err, &r) {
		made := in.translate(err)
		errors.As(made, &r)
	}
	x := r.x
	if x.trace == nil {
		var e *starlark.EvalError
		if errors.As(err, &e) {
			x.trace = in.frames(e.CallStack)
			if n := len(x.trace); n > 1 && badCall.MatchString(e.Error()) { // the function has not begun
				x.trace = x.trace[:n-1]
			}
		}
	}
	if x.context == nil && len(in.handling) > 0 {
		if around := in.handling[len(in.handling)-1]; around != x {
			x.context = around
		}
	}
	return x
}

// translation is what an error text of Starlark's own is in Python.
type translation struct {
	from      *regexp.Regexp
	class, to string
}

var translations = []translation{
	{regexp.MustCompile(`predeclared variable (\S+) is uninitialized`), "NameError", "name '$1' is not defined"},
	{
		regexp.MustCompile(`(?:local|global) variable (\S+) referenced before assignment`), "UnboundLocalError",
		"cannot access local variable '$1' where it is not associated with a value",
	},
	{
		regexp.MustCompile(`function (\S+) missing 1 argument \((\S+)\)`), "TypeError",
		"$1() missing 1 required positional argument: '$2'",
	},
	{regexp.MustCompile(`function (\S+) missing (\d+) arguments`), "TypeError", "$1() missing $2 required positional arguments"},
	{
		regexp.MustCompile(`function (\S+) accepts (?:at most )?(\d+) positional arguments? \((\d+) given\)`), "TypeError",
		"$1() takes $2 positional arguments but $3 were given",
	},
	{regexp.MustCompile(`function (\S+) accepts no arguments \((\d+) given\)`), "TypeError", "$1() takes 0 positional arguments but $2 were given"},
	{regexp.MustCompile(`function (\S+) got an unexpected keyword argument "?([^"]+)"?`), "TypeError", "$1() got an unexpected keyword argument '$2'"},
	{regexp.MustCompile(`function (\S+) got multiple values for (?:parameter|argument) "?([^"]+)"?`), "TypeError", "$1() got multiple values for argument '$2'"},
	{regexp.MustCompile(`invalid call of non-function \((\w+)\)`), "TypeError", "'$1' object is not callable"},
	{regexp.MustCompile(`unhashable(?: type)?: (\w+)`), "TypeError", "unhashable type: '$1'"},
	{regexp.MustCompile(`stack overflow`), "RecursionError", "maximum recursion depth exceeded"},
	{regexp.MustCompile(`during iteration`), "RuntimeError", "dictionary changed size during iteration"},
	{regexp.MustCompile(`interrupted|killed`), "KeyboardInterrupt", ""},
	{regexp.MustCompile(`excessive repeat|out of memory`), "MemoryError", ""},
	{regexp.MustCompile(`floating-point division by zero|division by zero`), "ZeroDivisionError", "division by zero"},
}

var badCall = regexp.MustCompile(`function \S+ (missing|accepts|got) `)

// translate makes Python's exception of Starlark's error.
func (in *Interp) translate(err error) error {
	text := err.Error()
	for _, t := range translations {
		m := t.from.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		msg := string(t.from.ExpandString(nil, t.to, text, m))
		if t.class == "KeyboardInterrupt" {
			in.calm()
			return in.raise(t.class)
		}
		return in.exceptionf(t.class, "%s", fixNames(msg))
	}
	return in.exceptionf("TypeError", "%s", fixNames(text))
}

var marked = regexp.MustCompile(mark + `\d+`)

// fixNames gives functions and types in a text of Starlark's the names that Python has for them.
func fixNames(s string) string {
	s = marked.ReplaceAllString(s, "")
	return strings.NewReplacer("'string'", "'str'", "'function'", "'function'", "lambda()", "<lambda>()").Replace(s)
}

// describe is str() of an exception.
func (in *Interp) describe(x *instance) string {
	if x.syntax != nil {
		file := x.file[strings.LastIndexByte(x.file, '/')+1:]
		return fmt.Sprintf("%s (%s, line %d)", x.syntax.msg, file, x.syntax.line)
	}
	s, err := in.str(x)
	if err != nil {
		return "<exception str() failed>"
	}
	return s
}

// report shows an exception that has ended a cell.
func (in *Interp) report(err error) Error {
	if errors.Is(err, errBrokenRepr) {
		return Error{Name: "NoneType", Value: "None"}
	}
	x := in.exception(err)
	e := Error{Name: x.class.name, Value: in.describe(x)}
	switch {
	case x.class.name == "UsageError":
		in.io.Stream("stderr", "UsageError: "+e.Value+"\n")
		in.io.Flush("stderr")
		return e
	case x.class.derives(in.classes("SystemExit")):
		line := red(e.Name) + "\n"
		if e.Value != "" {
			line = red(e.Name) + "\x1b[31m:\x1b[39m " + e.Value + "\n"
		}
		e.Traceback = []string{"An exception has occurred, use %tb to see the full traceback.\n", line}
	default:
		e.Traceback = in.traceback(x)
	}
	in.io.Flush("stdout")
	in.io.Flush("stderr")
	in.io.Error(e)
	if x.class.name == "SystemExit" && !in.warned {
		in.warned = true
		in.io.Stream("stderr", "IPython/core/interactiveshell.py:3831: UserWarning: To exit: use 'exit', 'quit', or Ctrl-D.\n"+
			"  warn(\"To exit: use 'exit', 'quit', or Ctrl-D.\", stacklevel=1)\n")
	}
	return e
}
