package python

import (
	"errors"
	"math"
	"slices"

	"go.starlark.net/starlark"
)

func (in *Interp) mapped(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	var lists [][]starlark.Value
	n := math.MaxInt
	for _, a := range args[1:] {
		l, err := in.list(a)
		if err != nil {
			return nil, err
		}
		lists, n = append(lists, l), min(n, len(l))
	}
	out := &iterator{kind: "map", id: in.address()}
	for i := range n {
		var row starlark.Tuple
		for _, l := range lists {
			row = append(row, l[i])
		}
		v, err := starlark.Call(t, args[0], row, nil)
		if err != nil {
			return nil, err
		}
		out.items = append(out.items, v)
	}
	return out, nil
}

func (in *Interp) filtered(t *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	items, err := in.list(args[1])
	out := &iterator{kind: "filter", id: in.address()}
	for _, x := range items {
		keep := x
		if args[0] != starlark.None {
			if keep, err = starlark.Call(t, args[0], starlark.Tuple{x}, nil); err != nil {
				return nil, err
			}
		}
		if keep.Truth() {
			out.items = append(out.items, x)
		}
	}
	return out, err
}

func (in *Interp) iterator(v starlark.Value) (starlark.Value, error) {
	if _, ok := v.(*iterator); ok {
		return v, nil
	}
	items, err := in.list(v)
	return &iterator{items: items, kind: in.typeName(v) + "_iterator", id: in.address()}, err
}

func (in *Interp) next(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if x, ok := args[0].(*instance); ok {
		if v, found, err := x.method("__next__"); found || err != nil {
			return v, err
		}
	}
	it, ok := args[0].(*iterator)
	if !ok {
		return nil, in.exceptionf("TypeError", "'%s' object is not an iterator", in.typeName(args[0]))
	}
	var v starlark.Value
	if it.Next(&v) {
		return v, nil
	}
	if len(args) > 1 {
		return args[1], nil
	}
	return nil, in.raise("StopIteration")
}

func (in *Interp) getAttr(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	v, err := in.attr(a[0], text(a[1]))
	if err != nil && len(a) > 2 && in.exception(err).class.name == "AttributeError" {
		return a[2], nil
	}
	return v, err
}

// variables are those of the module, or those of an object.
func (in *Interp) variables(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return in.attr(args[0], "__dict__")
	}
	d := starlark.NewDict(len(in.user))
	for _, name := range in.user {
		if err := d.SetKey(starlark.String(name), in.env[name]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (in *Interp) dirOf(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	names := slices.Clone(in.user)
	if len(args) > 0 {
		names = nil
		switch x := args[0].(type) {
		case *module:
			for name := range x.members {
				names = append(names, name)
			}
		case *instance:
			for _, k := range x.fields.Keys() {
				names = append(names, text(k))
			}
			for _, c := range x.class.mro {
				for _, k := range c.members.Keys() {
					names = append(names, text(k))
				}
			}
		case starlark.HasAttrs:
			names = x.AttrNames()
		}
	}
	slices.Sort(names)
	out := starlark.NewList(nil)
	for _, name := range slices.Compact(names) {
		if err := out.Append(starlark.String(name)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// superObject is an object as the classes behind one of its classes see it.
type superObject struct {
	*instance
	behind *class
}

func (in *Interp) super(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	if len(a) != 2 {
		return nil, in.exceptionf("RuntimeError", "super(): no arguments")
	}
	c, isClass := a[0].(*class)
	x, isInstance := a[1].(*instance)
	if !isClass || !isInstance {
		return nil, in.exceptionf("TypeError", "super(type, obj): obj must be an instance or subtype of type")
	}
	return superObject{x, c}, nil
}

func (s superObject) attr(in *Interp, name string) (starlark.Value, error) {
	mro := s.class.mro
	for _, c := range mro[slices.Index(mro, s.behind)+1:] {
		if v, found, _ := c.members.Get(starlark.String(name)); found {
			return in.bind(v, s.instance, c)
		}
	}
	plain := &instance{class: in.classes("object"), fields: starlark.NewDict(0)}
	if s.exception != nil {
		plain = &instance{class: in.classes("Exception"), fields: plain.fields, exception: s.exception}
	}
	return in.instanceAttr(plain, name)
}

// input asks the user for a line.
func (in *Interp) input(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	prompt := ""
	if len(args) > 0 {
		s, err := in.str(args[0])
		if err != nil {
			return nil, err
		}
		prompt = s
	}
	return in.ask(prompt, false)
}

func (in *Interp) ask(prompt string, password bool) (starlark.Value, error) {
	in.io.Flush("stdout")
	in.io.Flush("stderr")
	ctx, done := in.interruptible()
	line, err := in.io.Input(ctx, prompt, password)
	interrupted := done()
	switch {
	case in.ctx.Err() != nil:
		return nil, in.ctx.Err()
	case interrupted:
		return nil, in.raiseInterrupt("Interrupted by user")
	case errors.Is(err, ErrNoStdin) && password:
		return nil, in.exceptionf("StdinNotImplementedError", "getpass was called, but this frontend does not support input requests.")
	case errors.Is(err, ErrNoStdin):
		return nil, in.exceptionf("StdinNotImplementedError", "raw_input was called, but this frontend does not support input requests.")
	case errors.Is(err, ErrEndOfInput):
		return nil, in.raise("EOFError")
	case err != nil:
		return nil, in.exceptionf("RuntimeError", "%s", err)
	}
	return starlark.String(line), nil
}

// exit lets the process end after the cell.
func (in *Interp) exit(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	in.payload = append(in.payload, object("source", "ask_exit", "keepkernel", false))
	in.exits = true
	return starlark.None, nil
}
