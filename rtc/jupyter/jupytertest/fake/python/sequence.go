package python

import (
	"fmt"

	"go.starlark.net/starlark"
)

// iterator gives the items of a list one by one: a generator, whose body has run already, or what iter, map, zip and
// their like return.
type iterator struct {
	items []starlark.Value
	next  int
	kind  string
	id    string
}

func (i *iterator) String() string             { return fmt.Sprintf("<%s object at %s>", i.kind, i.id) }
func (i *iterator) Type() string               { return i.kind }
func (*iterator) Freeze()                      {}
func (*iterator) Truth() starlark.Bool         { return true }
func (*iterator) Hash() (uint32, error)        { return 5, nil }
func (i *iterator) Iterate() starlark.Iterator { return i }

// Next gives the next item.
func (i *iterator) Next(p *starlark.Value) bool {
	if i.next >= len(i.items) {
		return false
	}
	*p = i.items[i.next]
	i.next++
	return true
}

// Done ends an iteration, behind which the items left are still there.
func (*iterator) Done() {}

func (in *Interp) address() string {
	in.objects++
	return fmt.Sprintf("0x7f85%08x", 0x57000000+in.objects*0x40)
}

// iterable is a value that Starlark can iterate over, with the items that Python would give.
func (in *Interp) iterable(v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.String:
		var out []starlark.Value
		for _, r := range string(v) {
			out = append(out, starlark.String(string(r)))
		}
		return starlark.NewList(out), nil
	case starlark.Bytes:
		out := make([]starlark.Value, len(v))
		for i := range len(v) {
			out[i] = starlark.MakeInt(int(v[i]))
		}
		return starlark.NewList(out), nil
	case *instance:
		return in.instanceItems(v)
	case *file:
		return v.lines(in)
	case starlark.Iterable:
		return v, nil
	}
	return nil, in.exceptionf("TypeError", "'%s' object is not iterable", in.typeName(v))
}

// instanceItems iterates over an object of the program's, to its end.
func (in *Interp) instanceItems(x *instance) (starlark.Value, error) {
	it, found, err := x.method("__iter__")
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, in.exceptionf("TypeError", "'%s' object is not iterable", x.class.name)
	}
	y, ok := it.(*instance)
	if !ok {
		return in.iterable(it)
	}
	var out []starlark.Value
	for {
		v, found, err := y.method("__next__")
		if err != nil {
			if e := in.exception(err); e.class.name == "StopIteration" {
				return starlark.NewList(out), nil
			}
			return nil, err
		}
		if !found {
			return nil, in.exceptionf("TypeError", "iter() returned non-iterator of type '%s'", y.class.name)
		}
		out = append(out, v)
	}
}

// list are the items of an iterable.
func (in *Interp) list(v starlark.Value) ([]starlark.Value, error) {
	it, err := in.iterable(v)
	if err != nil {
		return nil, err
	}
	out := []starlark.Value{}
	i := it.(starlark.Iterable).Iterate()
	defer i.Done()
	var x starlark.Value
	for i.Next(&x) {
		out = append(out, x)
	}
	return out, nil
}

func (in *Interp) unpack(a starlark.Tuple) (starlark.Value, error) {
	if _, err := in.iterable(a[0]); err != nil {
		return nil, in.exceptionf("TypeError", "cannot unpack non-iterable %s object", in.typeName(a[0]))
	}
	items, err := in.list(a[0])
	if err != nil {
		return nil, err
	}
	before, _ := starlark.AsInt32(a[1])
	after, _ := starlark.AsInt32(a[2])
	switch {
	case after < 0 && len(items) > before:
		return nil, in.exceptionf("ValueError", "too many values to unpack (expected %d)", before)
	case after < 0 && len(items) < before:
		return nil, in.exceptionf("ValueError", "not enough values to unpack (expected %d, got %d)", before, len(items))
	case after < 0:
		return starlark.Tuple(items), nil
	case len(items) < before+after:
		return nil, in.exceptionf("ValueError", "not enough values to unpack (expected at least %d, got %d)", before+after, len(items))
	}
	out := append(starlark.Tuple{}, items[:before]...)
	out = append(out, starlark.NewList(append([]starlark.Value{}, items[before:len(items)-after]...)))
	return append(out, items[len(items)-after:]...), nil
}

// splice joins items and those of the sequences among them that have a star.
func (in *Interp) splice(a starlark.Tuple) (starlark.Value, error) {
	items, err := in.list(a[0])
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, x := range items {
		if t, ok := x.(starlark.Tuple); ok && len(t) == 2 && t[0] == (ellipsis{}) {
			more, err := in.list(t[1])
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		out = append(out, x)
	}
	return starlark.NewList(out), nil
}

func (in *Interp) merge(a starlark.Tuple) (starlark.Value, error) {
	out := starlark.NewDict(0)
	for _, x := range a {
		m, ok := x.(starlark.IterableMapping)
		if !ok {
			return nil, in.exceptionf("TypeError", "argument after ** must be a mapping, not %s", in.typeName(x))
		}
		for _, item := range m.Items() {
			if err := out.SetKey(item[0], item[1]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// dictionary makes a dictionary of keys and values; a key that has a star is a dictionary to take over.
func (in *Interp) dictionary(a starlark.Tuple) (starlark.Value, error) {
	out := starlark.NewDict(len(a) / 2)
	for i := 0; i+1 < len(a); i += 2 {
		if t, ok := a[i].(starlark.Tuple); ok && len(t) == 2 && t[0] == (ellipsis{}) {
			more, err := in.merge(starlark.Tuple{t[1]})
			if err != nil {
				return nil, err
			}
			for _, item := range more.(*starlark.Dict).Items() {
				if err := out.SetKey(item[0], item[1]); err != nil {
					return nil, err
				}
			}
			continue
		}
		if err := out.SetKey(a[i], a[i+1]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (in *Interp) makeSet(items []starlark.Value) (starlark.Value, error) {
	out := starlark.NewSet(len(items))
	for _, x := range items {
		if err := out.Insert(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}
