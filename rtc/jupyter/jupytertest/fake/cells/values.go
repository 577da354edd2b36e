package cells

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
)

type value = starlark.Value

// object is a value with attributes, such as a module, a file or a stream; of is the underlying Go value.
type object struct {
	kind, text string
	attrs      starlark.StringDict
	of         any
}

func (o *object) String() string                  { return o.text }
func (o *object) Type() string                    { return o.kind }
func (*object) Freeze()                           {}
func (*object) Truth() starlark.Bool              { return true }
func (o *object) Hash() (uint32, error)           { return 0, fmt.Errorf("unhashable type: %s", o.kind) }
func (o *object) Attr(name string) (value, error) { return o.attrs[name], nil }
func (o *object) AttrNames() []string             { return o.attrs.Keys() }

func module(name string, attrs starlark.StringDict) *object {
	return &object{kind: name, text: "<module '" + name + "'>", attrs: attrs}
}

// args are the arguments of a call, None if omitted.
type args []value

// text returns argument i if it is a string or bytes, else "".
func (a args) text(i int) string {
	if b, ok := a[i].(starlark.Bytes); ok {
		return string(b)
	}
	s, _ := starlark.AsString(a[i])
	return s
}

func (a args) truth(i int) bool { return bool(a[i].Truth()) }

// function makes a builtin with named parameters. If the first is "*", it takes all positional arguments.
func function(name, params string, do func(a args) (value, error)) *starlark.Builtin {
	names := strings.Fields(params)
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, given starlark.Tuple, named []starlark.Tuple) (value, error) {
		a := slices.Repeat(args{starlark.None}, len(names))
		if len(names) > 0 && names[0] == "*" {
			a[0] = given
		} else if copy(a, given) < len(given) {
			return nil, notUnderstood(fmt.Sprintf("%s() with %d arguments", name, len(given)))
		}
		for _, kw := range named {
			i := slices.Index(names, str(kw[0]))
			if i < 0 {
				return nil, notUnderstood(name + "(" + str(kw[0]) + "=)")
			}
			a[i] = kw[1]
		}
		return do(a)
	})
}

// gives makes a function that cannot fail, does one without a result.
func gives(name, params string, do func(a args) value) *starlark.Builtin {
	return function(name, params, func(a args) (value, error) { return do(a), nil })
}

func does(name, params string, do func(a args) error) *starlark.Builtin {
	return function(name, params, func(a args) (value, error) { return starlark.None, do(a) })
}

// str formats a value as print does.
func str(v value) string {
	if s, ok := v.(starlark.String); ok {
		return string(s)
	}
	return repr(v)
}

// repr formats a value as Python does.
func repr(v value) string {
	switch v := v.(type) {
	case starlark.String:
		return quote(string(v))
	case starlark.Bytes:
		return "b" + quote(string(v))
	case *starlark.List:
		return "[" + joined(v, ", ", repr) + "]"
	case starlark.Tuple:
		if len(v) == 1 {
			return "(" + repr(v[0]) + ",)"
		}
		return "(" + joined(v, ", ", repr) + ")"
	case *starlark.Set:
		return "{" + joined(v, ", ", repr) + "}"
	case *starlark.Dict:
		var parts []string
		for _, item := range v.Items() {
			parts = append(parts, repr(item[0])+": "+repr(item[1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.String()
}

func joined(v starlark.Iterable, sep string, write func(value) string) string {
	var parts []string
	for x := range starlark.Elements(v) {
		parts = append(parts, write(x))
	}
	return strings.Join(parts, sep)
}

func quote(s string) string {
	mark, inner := "'", `\'`
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark, inner = `"`, "'"
	}
	q := strconv.Quote(s)
	python := strings.NewReplacer(`\\`, `\\`, `\"`, `"`, "'", inner, `\a`, `\x07`, `\b`, `\x08`, `\f`, `\x0c`, `\v`, `\x0b`)
	return mark + python.Replace(q[1:len(q)-1]) + mark
}

// encoded returns a value as JSON.
func encoded(v value) (json.RawMessage, error) {
	s, err := starlark.Call(&starlark.Thread{}, starlarkjson.Module.Members["encode"], starlark.Tuple{v}, nil)
	if err != nil {
		return nil, fmt.Errorf("as JSON: %w", err)
	}
	return json.RawMessage(str(s)), nil
}

// fields are the members of a JSON object.
type fields map[string]any

func (f fields) json() json.RawMessage {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err) // all values of this package can be encoded
	}
	return b
}
