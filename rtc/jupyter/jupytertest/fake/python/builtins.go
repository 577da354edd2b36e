package python

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// builtins are the names that every program has.
func (in *Interp) builtins() starlark.StringDict {
	in.builtin = starlark.StringDict{}
	out := in.builtin
	maps.Copy(out, in.core())
	object := in.newClass("", "object")
	out["object"] = object
	for _, entry := range strings.Fields(exceptions) {
		name, base, _ := strings.Cut(entry, "<")
		from := object
		if base != "" {
			from = in.classes(base)
		}
		out[name] = in.newClass("", name, from)
	}
	out["IOError"], out["EnvironmentError"] = out["OSError"], out["OSError"]
	for name, fn := range in.types() {
		c := in.newClass("", name)
		c.make = fn
		out[name] = c
	}
	_ = in.classes("dict").members.SetKey(starlark.String("fromkeys"), builtin("fromkeys", in.fromKeys)) // a new dictionary
	for name, fn := range in.functions() {
		out[name] = builtin(name, fn)
	}
	for _, name := range []string{"range", "zip", "enumerate", "reversed", "any", "all"} {
		out[name] = in.overItems(name)
	}
	return out
}

// overItems is a function of Starlark whose arguments are iterated over as Python would.
func (in *Interp) overItems(name string) starlark.Value {
	fn := starlark.Universe[name]
	return builtin(name, func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if name == "range" {
			return starlark.Call(t, fn, args, kwargs)
		}
		args = slices.Clone(args)
		for i, a := range args {
			if name == "enumerate" && i > 0 {
				continue
			}
			it, err := in.iterable(a)
			if err != nil {
				return nil, err
			}
			args[i] = it
		}
		v, err := starlark.Call(t, fn, args, kwargs)
		if l, ok := v.(*starlark.List); ok && err == nil {
			items, listErr := in.list(l)
			return &iterator{items: items, kind: name, id: in.address()}, listErr
		}
		return v, err
	})
}

func (in *Interp) fromKeys(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	keys, err := in.list(args[0])
	if err != nil {
		return nil, err
	}
	value := argumentOf(args, nil, 1, "", starlark.None)
	d := starlark.NewDict(len(keys))
	for _, k := range keys {
		if err := d.SetKey(k, value); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// types are the builtin classes, by what a call of them makes.
func (in *Interp) types() map[string]goFunc {
	items := func(args starlark.Tuple) ([]starlark.Value, error) {
		if len(args) == 0 {
			return nil, nil
		}
		return in.list(args[0])
	}
	return map[string]goFunc{
		"int": in.toInt,
		"float": func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return in.toFloat(args)
		},
		"bool": func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.Bool(len(args) > 0 && bool(args[0].Truth())), nil
		},
		"str": func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) == 0 {
				return starlark.String(""), nil
			}
			s, err := in.str(args[0])
			return starlark.String(s), err
		},
		"list": func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			l, err := items(args)
			return starlark.NewList(l), err
		},
		"tuple": func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			l, err := items(args)
			return starlark.Tuple(l), err
		},
		"set": func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			l, err := items(args)
			if err != nil {
				return nil, err
			}
			return in.makeSet(l)
		},
		"dict":  in.toDict,
		"bytes": in.toBytes,
		"type": func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, in.exceptionf("TypeError", "this Python's type() takes 1 argument")
			}
			return in.typeOf(args[0]), nil
		},
		"property":     in.wrap("property"),
		"staticmethod": in.wrap("staticmethod"),
		"classmethod":  in.wrap("classmethod"),
	}
}

func (in *Interp) wrap(kind string) goFunc {
	return func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if fn, ok := args[0].(starlark.Callable); ok {
			return &wrapper{kind: kind, fn: fn}, nil
		}
		return nil, in.exceptionf("TypeError", "'%s' object is not callable", in.typeName(args[0]))
	}
}

// attr of a property is what makes another one with a setter.
func (w *wrapper) attr(_ *Interp, name string) (starlark.Value, error) {
	if w.kind != "property" || name != "setter" {
		return nil, nil
	}
	return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		set, _ := args[0].(starlark.Callable)
		return &wrapper{kind: w.kind, fn: w.fn, set: set}, nil
	}), nil
}

func (in *Interp) toInt(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 {
		return starlark.MakeInt(0), nil
	}
	base, ok := integer(argumentOf(args, kwargs, 1, "base", starlark.MakeInt(10)))
	if !ok {
		base = 10
	}
	switch v := asNumber(args[0]).(type) {
	case starlark.Int:
		return v, nil
	case starlark.Float:
		i, err := starlark.NumberToInt(v)
		if err != nil {
			return nil, in.exceptionf("ValueError", "cannot convert float NaN to integer")
		}
		return i, nil
	case starlark.String:
		s := strings.ReplaceAll(strings.TrimSpace(string(v)), "_", "")
		n, ok := new(big.Int).SetString(s, base)
		if !ok {
			return nil, in.exceptionf("ValueError", "invalid literal for int() with base %d: %s", base, quote(string(v)))
		}
		return starlark.MakeBigInt(n), nil
	case *instance:
		if n, found, err := v.method("__int__"); found || err != nil {
			return n, err
		}
	}
	return nil, in.exceptionf("TypeError", "int() argument must be a string, a bytes-like object or a real number, not '%s'", in.typeName(args[0]))
}

func (in *Interp) toFloat(args starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 {
		return starlark.Float(0), nil
	}
	if s, ok := args[0].(starlark.String); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(string(s)), 64)
		if err != nil && !math.IsInf(f, 0) {
			return nil, in.exceptionf("ValueError", "could not convert string to float: %s", quote(string(s)))
		}
		return starlark.Float(f), nil
	}
	if f, ok := starlark.AsFloat(asNumber(args[0])); ok {
		return starlark.Float(f), nil
	}
	return nil, in.exceptionf("TypeError", "float() argument must be a string or a real number, not '%s'", in.typeName(args[0]))
}

func (in *Interp) toDict(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	d := starlark.NewDict(len(kwargs))
	if len(args) > 0 {
		if m, ok := args[0].(starlark.IterableMapping); ok {
			args[0] = starlark.NewList(nil)
			for _, item := range m.Items() {
				if err := d.SetKey(item[0], item[1]); err != nil {
					return nil, err
				}
			}
		}
		items, err := in.list(args[0])
		if err != nil {
			return nil, err
		}
		for _, x := range items {
			pair, err := in.list(x)
			if err != nil || len(pair) != 2 {
				return nil, in.exceptionf("ValueError", "dictionary update sequence element #0 has length %d; 2 is required", len(pair))
			}
			if err := d.SetKey(pair[0], pair[1]); err != nil {
				return nil, err
			}
		}
	}
	for _, kw := range kwargs {
		if err := d.SetKey(kw[0], kw[1]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (in *Interp) toBytes(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 {
		return starlark.Bytes(""), nil
	}
	if s, ok := args[0].(starlark.String); ok {
		return starlark.Bytes(string(s)), nil
	}
	if n, ok := integer(args[0]); ok {
		return starlark.Bytes(strings.Repeat("\x00", n)), nil
	}
	items, err := in.list(args[0])
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(items))
	for i, x := range items {
		n, ok := integer(x)
		if !ok || n < 0 || n > 255 {
			return nil, in.exceptionf("ValueError", "bytes must be in range(0, 256)")
		}
		out[i] = byte(n)
	}
	return starlark.Bytes(string(out)), nil
}
