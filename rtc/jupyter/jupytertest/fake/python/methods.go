package python

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// callFunc is a method that was found on a value.
type callFunc = func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

func (in *Interp) stringMethod(s, name string) callFunc {
	adjust := func(align byte) callFunc {
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			l := layout{fill: " ", align: align}
			if len(args) > 0 {
				l.width, _ = integer(args[0])
			}
			if len(args) > 1 {
				l.fill = text(args[1])
			}
			return starlark.String(l.pad("", s)), nil
		}
	}
	switch name {
	case "format":
		return func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return in.formatMethod(s, args, kwargs)
		}
	case "encode":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) { return starlark.Bytes(s), nil }
	case "ljust":
		return adjust('<')
	case "rjust":
		return adjust('>')
	case "center":
		return adjust('^')
	case "zfill":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			width, _ := integer(args[0])
			sign, rest := "", s
			if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
				sign, rest = s[:1], s[1:]
			}
			return starlark.String(layout{fill: "0", align: '=', width: width}.pad(sign, rest)), nil
		}
	case "swapcase":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.String(strings.Map(func(r rune) rune {
				if unicode.IsUpper(r) {
					return unicode.ToLower(r)
				}
				return unicode.ToUpper(r)
			}, s)), nil
		}
	case "casefold":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.String(strings.ToLower(s)), nil
		}
	case "join":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) { return in.join(s, args) }
	case "find", "index":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			at := strings.Index(s, text(args[0]))
			if at < 0 && name == "index" {
				return nil, in.exceptionf("ValueError", "substring not found")
			}
			if at > 0 {
				at = utf8.RuneCountInString(s[:at])
			}
			return starlark.MakeInt(at), nil
		}
	case "isnumeric", "isdecimal":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.Bool(s != "" && strings.Trim(s, "0123456789") == ""), nil
		}
	}
	return nil
}

func (in *Interp) join(s string, args starlark.Tuple) (starlark.Value, error) {
	items, err := in.list(args[0])
	if err != nil {
		return nil, in.exceptionf("TypeError", "can only join an iterable")
	}
	parts := make([]string, len(items))
	for i, x := range items {
		part, ok := x.(starlark.String)
		if !ok {
			return nil, in.exceptionf("TypeError", "sequence item %d: expected str instance, %s found", i, in.typeName(x))
		}
		parts[i] = string(part)
	}
	return starlark.String(strings.Join(parts, s)), nil
}

func (in *Interp) bytesMethod(s, name string) callFunc {
	switch name {
	case "decode":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			if !utf8.ValidString(s) {
				return nil, in.exceptionf("UnicodeDecodeError", "'utf-8' codec can't decode byte: invalid start byte")
			}
			return starlark.String(s), nil
		}
	case "hex":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.String(sprintf("%x", s)), nil
		}
	case "startswith":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			b, _ := args[0].(starlark.Bytes)
			return starlark.Bool(strings.HasPrefix(s, string(b))), nil
		}
	}
	return nil
}

func (in *Interp) listMethod(l *starlark.List, name string) callFunc {
	switch name {
	case "sort":
		return func(_ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			items, err := in.sorted(l, kwargs)
			if err == nil {
				err = replaceList(l, items)
			}
			return starlark.None, err
		}
	case "reverse":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			items, err := in.list(l)
			slices.Reverse(items)
			if err == nil {
				err = replaceList(l, items)
			}
			return starlark.None, err
		}
	case "copy":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			items, err := in.list(l)
			return starlark.NewList(items), err
		}
	case "count", "remove", "index":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return in.search(l, name, args[0])
		}
	case "pop":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if l.Len() == 0 {
				return nil, in.exceptionf("IndexError", "pop from empty list")
			}
			at := starlark.Value(starlark.MakeInt(-1))
			if len(args) > 0 {
				at = args[0]
			}
			v, err := in.index(l, at)
			if err != nil {
				return nil, in.exceptionf("IndexError", "pop index out of range")
			}
			return v, in.deleteItem(l, at)
		}
	}
	return nil
}

func (in *Interp) search(l *starlark.List, name string, x starlark.Value) (starlark.Value, error) {
	n := 0
	for i := range l.Len() {
		eq, err := in.compare("==", l.Index(i), x)
		if err != nil {
			return nil, err
		}
		switch {
		case !bool(eq.Truth()):
		case name == "index":
			return starlark.MakeInt(i), nil
		case name == "remove":
			return starlark.None, in.deleteItem(l, starlark.MakeInt(i))
		default:
			n++
		}
	}
	switch name {
	case "index":
		s, err := in.repr(x)
		return nil, firstError(err, in.exceptionf("ValueError", "%s is not in list", s))
	case "remove":
		return nil, in.exceptionf("ValueError", "list.remove(x): x not in list")
	}
	return starlark.MakeInt(n), nil
}

func (in *Interp) dictMethod(d *starlark.Dict, name string) callFunc {
	switch name {
	case "copy":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) { return in.merge(starlark.Tuple{d}) }
	case "pop":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			v, found, err := d.Delete(args[0])
			switch {
			case err != nil || found:
				return v, err
			case len(args) > 1:
				return args[1], nil
			}
			return nil, in.raise("KeyError", args[0])
		}
	}
	return nil
}

func (in *Interp) setMethod(s *starlark.Set, name string) callFunc {
	switch name {
	case "update":
		return func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			for _, a := range args {
				items, err := in.list(a)
				if err != nil {
					return nil, err
				}
				for _, x := range items {
					if err := s.Insert(x); err != nil {
						return nil, err
					}
				}
			}
			return starlark.None, nil
		}
	case "copy":
		return func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			items, err := in.list(s)
			if err != nil {
				return nil, err
			}
			return in.makeSet(items)
		}
	}
	return nil
}

// sorted are the items of an iterable in order, by "key" and "reverse".
func (in *Interp) sorted(v starlark.Value, kwargs []starlark.Tuple) ([]starlark.Value, error) {
	items, err := in.list(v)
	if err != nil {
		return nil, err
	}
	type keyed struct{ key, value starlark.Value }
	list := make([]keyed, len(items))
	key := option(kwargs, "key", starlark.None)
	for i, x := range items {
		list[i] = keyed{x, x}
		if key != starlark.None {
			if list[i].key, err = starlark.Call(in.thread, key, starlark.Tuple{x}, nil); err != nil {
				return nil, err
			}
		}
	}
	reverse := bool(option(kwargs, "reverse", starlark.False).Truth())
	slices.SortStableFunc(list, func(a, b keyed) int {
		if reverse {
			a, b = b, a
		}
		for sign, pair := range map[int][2]starlark.Value{-1: {a.key, b.key}, 1: {b.key, a.key}} {
			less, lessErr := in.compare("<", pair[0], pair[1])
			err = firstError(err, lessErr)
			if lessErr == nil && bool(less.Truth()) {
				return sign
			}
		}
		return 0
	})
	for i, k := range list {
		items[i] = k.value
	}
	return items, err
}
