package python

import (
	"slices"

	"go.starlark.net/starlark"
)

// attributed is a value of our own that has attributes; nil means that it has not this one.
type attributed interface {
	attr(in *Interp, name string) (starlark.Value, error)
}

// settable is a value of our own whose attributes can be set.
type settable interface {
	setAttr(name string, v starlark.Value) error
}

func (in *Interp) attr(x starlark.Value, name string) (starlark.Value, error) {
	v, err := in.find(x, name)
	if v != nil || err != nil {
		return v, err
	}
	switch x := x.(type) {
	case *module:
		return nil, in.exceptionf("AttributeError", "module '%s' has no attribute '%s'", x.name, name)
	case *class:
		return nil, in.exceptionf("AttributeError", "type object '%s' has no attribute '%s'", x.name, name)
	}
	return nil, in.exceptionf("AttributeError", "'%s' object has no attribute '%s'", in.typeName(x), name)
}

// find is attr, with nil for an attribute that is not there.
func (in *Interp) find(x starlark.Value, name string) (starlark.Value, error) {
	switch x := x.(type) {
	case *instance:
		if v, err := in.instanceAttr(x, name); v != nil || err != nil {
			return v, err
		}
	case *class:
		if v, err := in.classAttr(x, name); v != nil || err != nil {
			return v, err
		}
	case *starlark.Function:
		if v := in.functionAttr(x, name); v != nil {
			return v, nil
		}
	case attributed:
		if v, err := x.attr(in, name); v != nil || err != nil {
			return v, err
		}
	}
	if m := in.method(x, name); m != nil {
		return m, nil
	}
	if h, ok := x.(starlark.HasAttrs); ok {
		if v, err := h.Attr(name); v != nil && err == nil {
			return v, nil
		}
	}
	return in.common(x, name), nil
}

// common are the attributes that every object has.
func (in *Interp) common(x starlark.Value, name string) starlark.Value {
	method := func(fn func(args starlark.Tuple) (starlark.Value, error)) starlark.Value {
		return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return fn(args)
		})
	}
	switch name {
	case "__class__":
		return in.typeOf(x)
	case "__doc__":
		return starlark.None
	case "__repr__", "__str__":
		return method(func(starlark.Tuple) (starlark.Value, error) {
			s, err := in.repr(x)
			if name == "__str__" {
				s, err = in.str(x)
			}
			return starlark.String(s), err
		})
	case "__contains__":
		if _, err := in.length(x); err != nil {
			return nil
		}
		return method(func(a starlark.Tuple) (starlark.Value, error) {
			found, err := in.contains(x, a[0])
			return starlark.Bool(found), err
		})
	case "__len__":
		if _, err := in.length(x); err != nil {
			return nil
		}
		return method(func(starlark.Tuple) (starlark.Value, error) {
			n, err := in.length(x)
			return starlark.MakeInt(n), err
		})
	case "__getitem__":
		return method(func(a starlark.Tuple) (starlark.Value, error) { return in.index(x, a[0]) })
	case "__eq__":
		return method(func(a starlark.Tuple) (starlark.Value, error) { return in.compare("==", x, a[0]) })
	}
	return nil
}

func (in *Interp) instanceAttr(x *instance, name string) (starlark.Value, error) {
	if v, ok, _ := x.fields.Get(starlark.String(name)); ok {
		return v, nil
	}
	if x.exception != nil {
		orNone := func(e *instance) starlark.Value {
			if e == nil {
				return starlark.None
			}
			return e
		}
		switch name {
		case "args":
			return x.args, nil
		case "code":
			if x.class.name == "SystemExit" && len(x.args) > 0 {
				return x.args[0], nil
			}
		case "__cause__":
			return orNone(x.cause), nil
		case "__context__":
			return orNone(x.context), nil
		case "__traceback__":
			return starlark.None, nil
		}
	}
	switch name {
	case "__dict__":
		return x.fields, nil
	case "__class__":
		return x.class, nil
	}
	if v, ok := x.class.lookup(name); ok {
		return in.bind(v, x, x.class)
	}
	if v, found, err := x.method("__getattr__", starlark.String(name)); found || err != nil {
		return v, err
	}
	if x.exception != nil && name == "__init__" {
		return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			x.args = args
			return starlark.None, nil
		}), nil
	}
	if name == "__init__" {
		return builtin(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, nil
		}), nil
	}
	return nil, nil
}

// bind makes a method of a function that was found in a class.
func (in *Interp) bind(v starlark.Value, self starlark.Value, c *class) (starlark.Value, error) {
	switch v := v.(type) {
	case *starlark.Function:
		return bound{self, v}, nil
	case *wrapper:
		switch v.kind {
		case "property":
			return starlark.Call(in.thread, v.fn, starlark.Tuple{self}, nil)
		case "classmethod":
			return bound{c, v.fn}, nil
		}
		return v.fn, nil
	}
	return v, nil
}

func (in *Interp) classAttr(c *class, name string) (starlark.Value, error) {
	switch name {
	case "__name__", "__qualname__":
		return starlark.String(c.name), nil
	case "__module__":
		if c.module == "" {
			return starlark.String("builtins"), nil
		}
		return starlark.String(c.module), nil
	case "__dict__":
		return c.members, nil
	case "__mro__":
		var out starlark.Tuple
		for _, m := range c.mro {
			out = append(out, m)
		}
		return out, nil
	}
	v, ok := c.lookup(name)
	if !ok {
		return nil, nil
	}
	if w, ok := v.(*wrapper); ok {
		if w.kind == "classmethod" {
			return bound{c, w.fn}, nil
		}
		if w.kind == "staticmethod" {
			return w.fn, nil
		}
	}
	return v, nil
}

func (in *Interp) functionAttr(fn *starlark.Function, name string) starlark.Value {
	switch name {
	case "__name__", "__qualname__":
		return starlark.String(plainName(fn.Name()))
	case "__doc__":
		if fn.Doc() == "" {
			return starlark.None
		}
		return starlark.String(fn.Doc())
	case "__module__":
		return starlark.String("__main__")
	}
	return nil
}

func (in *Interp) setAttr(x starlark.Value, name string, v starlark.Value) error {
	switch x := x.(type) {
	case *instance:
		if w, ok := x.class.lookup(name); ok {
			if p, ok := w.(*wrapper); ok && p.set != nil {
				_, err := starlark.Call(in.thread, p.set, starlark.Tuple{x, v}, nil)
				return err
			}
		}
		return x.fields.SetKey(starlark.String(name), v)
	case *class:
		return x.members.SetKey(starlark.String(name), v)
	case *module:
		x.members[name] = v
		return nil
	case settable:
		return x.setAttr(name, v)
	}
	return in.exceptionf("AttributeError", "'%s' object has no attribute '%s'", in.typeName(x), name)
}

func (in *Interp) deleteAttr(x starlark.Value, name string) error {
	if i, ok := x.(*instance); ok {
		if _, found, err := i.fields.Delete(starlark.String(name)); found || err != nil {
			return err
		}
	}
	return in.exceptionf("AttributeError", "'%s' object has no attribute '%s'", in.typeName(x), name)
}

// typeOf is type() of a value.
func (in *Interp) typeOf(v starlark.Value) starlark.Value {
	if x, ok := v.(*instance); ok {
		return x.class
	}
	name := in.typeName(v)
	if _, ok := v.(*class); ok {
		name = "type"
	}
	if c := in.classes(name); c != nil {
		return c
	}
	return in.newClass("", name)
}

// isInstance is isinstance(): types is a class or a tuple of classes.
func (in *Interp) isInstance(v, types starlark.Value) bool {
	switch t := types.(type) {
	case starlark.Tuple:
		return slices.ContainsFunc(t, func(c starlark.Value) bool { return in.isInstance(v, c) })
	case *class:
		if t.name == "object" && t.module == "" {
			return true
		}
		of, ok := in.typeOf(v).(*class)
		return ok && (of.derives(t) || of.name == "bool" && t.name == "int")
	}
	return false
}

// method is a method of a builtin type that Starlark has not, or has otherwise.
func (in *Interp) method(x starlark.Value, name string) starlark.Value {
	var fn func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)
	switch x := x.(type) {
	case starlark.String:
		fn = in.stringMethod(string(x), name)
	case starlark.Bytes:
		fn = in.bytesMethod(string(x), name)
	case *starlark.List:
		fn = in.listMethod(x, name)
	case *starlark.Dict:
		fn = in.dictMethod(x, name)
	case *starlark.Set:
		fn = in.setMethod(x, name)
	}
	if fn == nil {
		return nil
	}
	return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return fn(args, kwargs)
	})
}

// option is a keyword argument, or def.
func option(kwargs []starlark.Tuple, name string, def starlark.Value) starlark.Value {
	for _, kw := range kwargs {
		if text(kw[0]) == name {
			return kw[1]
		}
	}
	return def
}

// argument is the i-th positional argument, or else the keyword argument of a name, or else def.
func argumentOf(args starlark.Tuple, kwargs []starlark.Tuple, i int, name string, def starlark.Value) starlark.Value {
	if i < len(args) {
		return args[i]
	}
	return option(kwargs, name, def)
}
