package python

import (
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// length is len() of a value.
func (in *Interp) length(v starlark.Value) (int, error) {
	switch v := v.(type) {
	case starlark.String:
		return utf8.RuneCountInString(string(v)), nil
	case starlark.Bytes:
		return len(v), nil
	case *instance:
		n, found, err := v.method("__len__")
		if err != nil {
			return 0, err
		}
		if i, ok := n.(starlark.Int); found && ok {
			l, _ := i.Int64()
			return int(l), nil
		}
	default:
		if n := starlark.Len(v); n >= 0 {
			return n, nil
		}
	}
	return 0, in.exceptionf("TypeError", "object of type '%s' has no len()", in.typeName(v))
}

func (in *Interp) index(x, i starlark.Value) (starlark.Value, error) {
	switch x := x.(type) {
	case starlark.Mapping:
		v, found, err := x.Get(i)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, in.raise("KeyError", i)
		}
		return v, nil
	case *instance:
		v, found, err := x.method("__getitem__", i)
		if !found && err == nil {
			err = in.exceptionf("TypeError", "'%s' object is not subscriptable", x.class.name)
		}
		return v, err
	}
	n, err := in.length(x)
	if err != nil {
		return nil, in.exceptionf("TypeError", "'%s' object is not subscriptable", in.typeName(x))
	}
	at, err := in.position(x, i, n)
	if err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case starlark.String:
		if len(x) == n {
			return x[at : at+1], nil
		}
		return starlark.String(string([]rune(string(x))[at])), nil
	case starlark.Bytes:
		return starlark.MakeInt(int(x[at])), nil
	case starlark.Indexable:
		return x.Index(at), nil
	}
	return nil, in.exceptionf("TypeError", "'%s' object is not subscriptable", in.typeName(x))
}

// position is the place of an index in a sequence of n items.
func (in *Interp) position(x, i starlark.Value, n int) (int, error) {
	name := map[string]string{"str": "string"}[in.typeName(x)]
	if name == "" {
		name = in.typeName(x)
	}
	k, ok := integer(i)
	if !ok {
		return 0, in.exceptionf("TypeError", "%s indices must be integers or slices, not %s", name, in.typeName(i))
	}
	if k < 0 {
		k += n
	}
	if k < 0 || k >= n {
		return 0, in.exceptionf("IndexError", "%s index out of range", name)
	}
	return k, nil
}

// integer is a small int, or a bool as one.
func integer(v starlark.Value) (int, bool) {
	switch v := v.(type) {
	case starlark.Bool:
		if v {
			return 1, true
		}
		return 0, true
	case starlark.Int:
		n, ok := v.Int64()
		return int(n), ok
	}
	return 0, false
}

func (in *Interp) setItem(x, i, v starlark.Value) error {
	switch x := x.(type) {
	case *starlark.List:
		at, err := in.position(x, i, x.Len())
		if err != nil {
			return in.exceptionf("IndexError", "list assignment index out of range")
		}
		return x.SetIndex(at, v)
	case *instance:
		_, found, err := x.method("__setitem__", i, v)
		if found || err != nil {
			return err
		}
	case starlark.HasSetKey:
		return x.SetKey(i, v)
	}
	return in.exceptionf("TypeError", "'%s' object does not support item assignment", in.typeName(x))
}

func (in *Interp) deleteItem(x, i starlark.Value) error {
	switch x := x.(type) {
	case *starlark.Dict:
		_, found, err := x.Delete(i)
		if err == nil && !found {
			err = in.raise("KeyError", i)
		}
		return err
	case *starlark.List:
		at, err := in.position(x, i, x.Len())
		if err != nil {
			return in.exceptionf("IndexError", "list assignment index out of range")
		}
		items, err := in.list(x)
		if err != nil {
			return err
		}
		return replaceList(x, append(items[:at:at], items[at+1:]...))
	}
	return in.exceptionf("TypeError", "'%s' object doesn't support item deletion", in.typeName(x))
}

// replaceList gives a list other items.
func replaceList(l *starlark.List, items []starlark.Value) error {
	if err := l.Clear(); err != nil {
		return err
	}
	for _, v := range items {
		if err := l.Append(v); err != nil {
			return err
		}
	}
	return nil
}

func (in *Interp) slice(x, lo, hi, step starlark.Value) (starlark.Value, error) {
	n, err := in.length(x)
	if err != nil {
		return nil, in.exceptionf("TypeError", "'%s' object is not subscriptable", in.typeName(x))
	}
	by := 1
	if step != starlark.None {
		k, ok := integer(step)
		if !ok || k == 0 {
			return nil, in.exceptionf("ValueError", "slice step cannot be zero")
		}
		by = k
	}
	bound := func(v starlark.Value, def int) int {
		k, ok := integer(v)
		if !ok {
			return def
		}
		if k < 0 {
			k += n
		}
		if by > 0 {
			return min(max(k, 0), n)
		}
		return min(max(k, -1), n-1)
	}
	start, end := bound(lo, 0), bound(hi, n)
	if by < 0 {
		start, end = bound(lo, n-1), bound(hi, -1)
	}
	switch x := x.(type) {
	case starlark.String:
		if len(x) == n {
			if by < 0 {
				return x.Slice(start, min(start, end), by), nil
			}
			return x.Slice(start, max(start, end), by), nil
		}
		runes := []rune(string(x))
		var out []rune
		for i := start; by > 0 && i < end || by < 0 && i > end; i += by {
			out = append(out, runes[i])
		}
		return starlark.String(string(out)), nil
	case starlark.Sliceable:
		if by > 0 {
			end = max(start, end)
		} else {
			end = min(start, end)
		}
		return x.Slice(start, end, by), nil
	}
	return nil, in.exceptionf("TypeError", "'%s' object is not subscriptable", in.typeName(x))
}
