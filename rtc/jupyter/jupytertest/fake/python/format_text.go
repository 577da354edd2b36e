package python

import (
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// percent is "text % values".
func (in *Interp) percent(format string, v starlark.Value) (starlark.Value, error) {
	args := starlark.Tuple{v}
	if t, ok := v.(starlark.Tuple); ok {
		args = t
	}
	var b strings.Builder
	next := func() (starlark.Value, error) {
		if len(args) == 0 {
			return nil, in.exceptionf("TypeError", "not enough arguments for format string")
		}
		x := args[0]
		args = args[1:]
		return x, nil
	}
	used := false
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		start := i
		var x starlark.Value
		if i < len(format) && format[i] == '(' {
			end := strings.IndexByte(format[i:], ')')
			if end < 0 {
				return nil, in.exceptionf("ValueError", "incomplete format key")
			}
			var err error
			if x, err = in.index(v, starlark.String(format[i+1:i+end])); err != nil {
				return nil, err
			}
			i += end + 1
			start, used = i, true
		}
		for i < len(format) && strings.IndexByte("#0- +.123456789", format[i]) >= 0 {
			i++
		}
		if i == len(format) {
			return nil, in.exceptionf("ValueError", "incomplete format")
		}
		if format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if x == nil {
			var err error
			if x, err = next(); err != nil {
				return nil, err
			}
		}
		s, err := in.percentOne(format[start:i], format[i], x)
		if err != nil {
			return nil, err
		}
		b.WriteString(s)
	}
	if _, isTuple := v.(starlark.Tuple); len(args) > 0 && !used && (isTuple || !isMapping(v)) {
		return nil, in.exceptionf("TypeError", "not all arguments converted during string formatting")
	}
	return starlark.String(b.String()), nil
}

func isMapping(v starlark.Value) bool {
	_, ok := v.(starlark.Mapping)
	return ok
}

func (in *Interp) percentOne(flags string, kind byte, x starlark.Value) (string, error) {
	spec := ""
	if strings.HasPrefix(flags, "-") {
		spec, flags = "<", strings.TrimLeft(flags, "-")
	} else if kind == 's' || kind == 'r' {
		spec = ">"
	}
	switch kind {
	case 's', 'r', 'a':
		s, err := in.formatOne(x, string(kind), "")
		if err != nil {
			return "", err
		}
		return in.formatSpec(starlark.String(s), spec+flags)
	case 'd', 'i', 'u':
		n := asNumber(x)
		if f, ok := n.(starlark.Float); ok {
			i, err := starlark.NumberToInt(f)
			if err != nil {
				return "", err
			}
			n = i
		}
		if !isNumber(n) {
			return "", in.exceptionf("TypeError", "%%d format: a real number is required, not %s", in.typeName(x))
		}
		return in.formatSpec(n, spec+flags+"d")
	}
	if n := asNumber(x); isNumber(n) {
		return in.formatSpec(n, spec+flags+string(kind))
	}
	return "", in.exceptionf("TypeError", "must be real number, not %s", in.typeName(x))
}

// formatMethod is str.format.
func (in *Interp) formatMethod(format string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	parts, rest := formatFields(format)
	if rest != "" {
		return nil, in.exceptionf("ValueError", "Single '}' encountered in format string")
	}
	var b strings.Builder
	auto := 0
	for _, p := range parts {
		if !p.field {
			b.WriteString(p.text)
			continue
		}
		name, conv, spec := p.split()
		v, err := in.field(name, &auto, args, kwargs)
		if err != nil {
			return nil, err
		}
		if strings.Contains(spec, "{") {
			inner, err := in.formatMethod(spec, args[min(auto, len(args)):], kwargs)
			if err != nil {
				return nil, err
			}
			spec = text(inner)
		}
		s, err := in.formatOne(v, conv, spec)
		if err != nil {
			return nil, err
		}
		b.WriteString(s)
	}
	return starlark.String(b.String()), nil
}

type field struct {
	text  string
	field bool
}

func (f field) split() (name, conv, spec string) {
	name, spec, _ = strings.Cut(f.text, ":")
	name, conv, _ = strings.Cut(name, "!")
	return name, conv, spec
}

// formatFields takes a format apart at its braces; rest is what a lone "}" leaves.
func formatFields(s string) (out []field, rest string) {
	var text strings.Builder
	for len(s) > 0 {
		switch {
		case strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "}}"):
			text.WriteByte(s[0])
			s = s[2:]
		case s[0] == '}':
			return nil, s
		case s[0] == '{':
			out = append(out, field{text: text.String()})
			text.Reset()
			depth, end := 0, 0
			for end = range len(s) {
				if s[end] == '{' {
					depth++
				} else if s[end] == '}' {
					depth--
				}
				if depth == 0 {
					break
				}
			}
			if depth > 0 {
				return nil, s
			}
			out = append(out, field{s[1:end], true})
			s = s[end+1:]
		default:
			text.WriteByte(s[0])
			s = s[1:]
		}
	}
	return append(out, field{text: text.String()}), ""
}

// field finds the argument that a field names: a number, a name, and attributes and items of it.
func (in *Interp) field(name string, auto *int, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	base, rest := name[:end], name[end:]
	var v starlark.Value
	if n, err := strconv.Atoi(base); err == nil || base == "" {
		if base == "" {
			n = *auto
			*auto++
		}
		if n >= len(args) {
			return nil, in.exceptionf("IndexError", "Replacement index %d out of range for positional args tuple", n)
		}
		v = args[n]
	} else {
		for _, kw := range kwargs {
			if text(kw[0]) == base {
				v = kw[1]
			}
		}
		if v == nil {
			return nil, in.raise("KeyError", starlark.String(base))
		}
	}
	for rest != "" {
		var err error
		if rest[0] == '[' {
			key, after, _ := strings.Cut(rest[1:], "]")
			var k starlark.Value = starlark.String(key)
			if n, convErr := strconv.Atoi(key); convErr == nil {
				k = starlark.MakeInt(n)
			}
			v, err = in.index(v, k)
			rest = after
		} else {
			key := rest[1:]
			if end := strings.IndexAny(key, ".["); end >= 0 {
				key = key[:end]
			}
			v, err = in.attr(v, key)
			rest = rest[1+len(key):]
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}
