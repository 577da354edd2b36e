package python

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// represented is a value of our own that has a representation.
type represented interface{ repr(in *Interp) string }

// str is str() of a value.
func (in *Interp) str(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		return string(v), nil
	case *instance:
		if s, found, err := v.method("__str__"); found || err != nil {
			return in.textOf(s, "__str__", err)
		}
		if v.exception != nil {
			return in.exceptionStr(v)
		}
	case interface{ str() string }:
		return v.str(), nil
	}
	return in.repr(v)
}

func (in *Interp) textOf(v starlark.Value, name string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	s, ok := starlark.AsString(v)
	if !ok {
		return "", in.exceptionf("TypeError", "%s returned non-string (type %s)", name, in.typeName(v))
	}
	return s, nil
}

func (in *Interp) exceptionStr(x *instance) (string, error) {
	switch {
	case len(x.args) == 0:
		return "", nil
	case len(x.args) > 1:
		return in.repr(x.args)
	case x.class.name == "KeyError":
		return in.repr(x.args[0])
	}
	return in.str(x.args[0])
}

// repr is repr() of a value.
func (in *Interp) repr(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		return quote(string(v)), nil
	case starlark.Bytes:
		return "b" + quoteBytes(string(v)), nil
	case starlark.Float:
		return formatFloat(float64(v)), nil
	case *starlark.List:
		return in.sequence("[", "]", v, false)
	case starlark.Tuple:
		return in.sequence("(", ")", v, len(v) == 1)
	case *starlark.Set:
		if v.Len() == 0 {
			return "set()", nil
		}
		return in.sequence("{", "}", v, false)
	case starlark.IterableMapping:
		var parts []string
		for _, item := range v.Items() {
			key, err := in.repr(item[0])
			if err != nil {
				return "", err
			}
			value, err := in.repr(item[1])
			if err != nil {
				return "", err
			}
			parts = append(parts, key+": "+value)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	case *instance:
		return in.instanceRepr(v)
	case *starlark.Function:
		return "<function " + plainName(v.Name()) + " at 0x7f8543df2c90>", nil
	case *starlark.Builtin:
		return "<built-in function " + v.Name() + ">", nil
	case represented:
		return v.repr(in), nil
	}
	if v.Type() == "range" {
		return rangeRepr(v), nil
	}
	return v.String(), nil
}

func (in *Interp) instanceRepr(x *instance) (string, error) {
	if s, found, err := x.method("__repr__"); found || err != nil {
		return in.textOf(s, "__repr__", err)
	}
	if x.exception == nil {
		return x.String(), nil
	}
	args, err := in.sequence("(", ")", x.args, false)
	return x.class.name + args, err
}

func (in *Interp) sequence(left, right string, v starlark.Iterable, comma bool) (string, error) {
	var parts []string
	it := v.Iterate()
	defer it.Done()
	var x starlark.Value
	for it.Next(&x) {
		s, err := in.repr(x)
		if err != nil {
			return "", err
		}
		parts = append(parts, s)
	}
	if comma {
		right = "," + right
	}
	return left + strings.Join(parts, ", ") + right, nil
}

func rangeRepr(v starlark.Value) string {
	s := v.String() // range(10), range(1, 10), range(1, 10, 2)
	if !strings.Contains(s, ",") {
		return strings.Replace(s, "(", "(0, ", 1)
	}
	return s
}

// plainName is a function's name without our mark.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, mark)
	if name == "lambda" {
		return "<lambda>"
	}
	return name
}

func formatFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		return s
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// quote is the representation of a text.
func quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	var b strings.Builder
	b.WriteByte(q)
	for i, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && s[i] != 0xef:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte(q)
	return b.String()
}

func quoteBytes(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	var b strings.Builder
	b.WriteByte(q)
	for i := range len(s) {
		switch c := s[i]; {
		case c == q || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 32 || c > 126:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(q)
	return b.String()
}

// typeName is the name of a value's class.
func (in *Interp) typeName(v starlark.Value) string {
	switch v := v.(type) {
	case *instance:
		return v.class.name
	case *starlark.Builtin:
		return "builtin_function_or_method"
	}
	switch t := v.Type(); t {
	case "string":
		return "str"
	default:
		return t
	}
}

// pretty is what IPython shows of a value: containers that do not fit into a line have one item a line.
// It is shown behind col characters, and breaks into lines that have an indent.
func (in *Interp) pretty(v starlark.Value, indent, col int) (string, error) {
	switch v := v.(type) {
	case *class:
		if v.module == "" || v.module == "__main__" {
			return strings.TrimPrefix(v.qualified(), "."), nil
		}
		return v.qualified(), nil
	case *starlark.Function:
		d := in.definition(v)
		return "<function __main__." + d.name + d.signature + ">", nil
	case *instance:
		s, err := in.repr(v)
		if _, own := v.class.lookup("__repr__"); !own && v.exception == nil {
			s = strings.Replace(s, " object at ", " at ", 1)
		}
		return s, err
	case *starlark.Builtin:
		if v.Name() == "print" {
			return `<function print(*args, sep=' ', end='\n', file=None, flush=False)>`, nil
		}
	case starlark.String:
		return in.repr(v)
	}
	s, err := in.repr(v)
	if err != nil {
		return "", err
	}
	var left, right string
	var parts []string
	switch v := v.(type) {
	case *starlark.List:
		left, right = "[", "]"
		parts, err = in.prettyItems(v, indent, col)
	case starlark.Tuple:
		left, right = "(", ")"
		if len(v) == 1 {
			right = ",)"
		}
		parts, err = in.prettyItems(v, indent, col)
	case *starlark.Set:
		if v.Len() == 0 {
			return s, nil
		}
		left, right = "{", "}"
		parts, err = in.prettyItems(v, indent, col)
	case *starlark.Dict:
		left, right = "{", "}"
		for _, item := range v.Items() {
			key, keyErr := in.pretty(item[0], indent+1, col+1)
			value, valueErr := in.pretty(item[1], indent+1, col+1+len(key)+2)
			if keyErr != nil || valueErr != nil {
				return "", firstError(keyErr, valueErr)
			}
			parts = append(parts, key+": "+value)
		}
	default:
		return s, nil
	}
	if err != nil {
		return "", err
	}
	const most = 1000
	if len(parts) > most {
		parts = append(parts[:most], "...")
	}
	line := left + strings.Join(parts, ", ") + right
	if utf8.RuneCountInString(line)+col <= 79 && !strings.Contains(line, "\n") {
		return line, nil
	}
	return left + strings.Join(parts, ",\n"+strings.Repeat(" ", indent+1)) + right, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *Interp) prettyItems(v starlark.Iterable, indent, col int) ([]string, error) {
	items, err := in.list(v)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, x := range items {
		s, err := in.pretty(x, indent+1, col+1)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// definition is where and how a function was defined.
func (in *Interp) definition(fn *starlark.Function) defRange {
	if s := in.sources[fn.Position().Filename()]; s != nil {
		if d, ok := s.defs[fn.Name()]; ok {
			return d
		}
	}
	return defRange{name: plainName(fn.Name()), signature: "()"}
}
