package python

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// class is a class of Python's own, or of the program.
type class struct {
	in      *Interp
	name    string
	module  string // "" for builtins
	mro     []*class
	members *starlark.Dict
	// make is what a call of a builtin class does; nil makes an instance.
	make func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)
}

// instance is an object of a class, an exception among them.
type instance struct {
	class  *class
	fields *starlark.Dict
	id     int
	*exception
}

// bound is a method with its object.
type bound struct {
	self starlark.Value
	fn   starlark.Callable
}

// wrapper is a property, a static method or a class method.
type wrapper struct {
	kind string
	fn   starlark.Callable
	set  starlark.Callable
}

// ellipsis is the value of "...".
type ellipsis struct{}

var (
	_ starlark.Callable  = (*class)(nil)
	_ starlark.Callable  = (*instance)(nil)
	_ starlark.Callable  = bound{}
	_ starlark.HasSetKey = (*globalsTarget)(nil)
)

func (c *class) String() string        { return "<class '" + c.qualified() + "'>" }
func (*class) Type() string            { return "type" }
func (*class) Freeze()                 {}
func (*class) Truth() starlark.Bool    { return true }
func (c *class) Hash() (uint32, error) { return starlark.String(c.name).Hash() }
func (c *class) Name() string          { return c.name }

func (c *class) qualified() string {
	if c.module == "" {
		return c.name
	}
	return c.module + "." + c.name
}

// lookup finds a member of the class or of those that it comes from.
func (c *class) lookup(name string) (starlark.Value, bool) {
	for _, b := range c.mro {
		if v, found, _ := b.members.Get(starlark.String(name)); found {
			return v, true
		}
	}
	return nil, false
}

func (c *class) derives(from *class) bool { return slices.Contains(c.mro, from) }

// CallInternal makes an instance.
func (c *class) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	for _, b := range c.mro {
		if b.make != nil {
			if c != b {
				return nil, c.in.exceptionf("TypeError", "this Python cannot derive from %s", b.name)
			}
			return b.make(t, args, kwargs)
		}
	}
	x := c.in.newInstance(c)
	if c.derives(c.in.classes("BaseException")) {
		x.exception = &exception{args: args}
	}
	init, found := c.lookup("__init__")
	if !found {
		if len(args)+len(kwargs) > 0 && x.exception == nil {
			return nil, c.in.exceptionf("TypeError", "%s() takes no arguments", c.name)
		}
		return x, nil
	}
	if _, err := starlark.Call(t, init, append(starlark.Tuple{x}, args...), kwargs); err != nil {
		return nil, err
	}
	return x, nil
}

func (in *Interp) newInstance(c *class) *instance {
	in.objects++
	return &instance{class: c, fields: starlark.NewDict(0), id: in.objects}
}

// newClass makes a class of the program or, for a module "", a builtin one.
func (in *Interp) newClass(module, name string, bases ...*class) *class {
	c := &class{in: in, name: name, module: module, members: starlark.NewDict(0)}
	c.mro = []*class{c}
	for _, b := range bases {
		for _, m := range b.mro {
			if i := slices.Index(c.mro, m); i >= 0 { // the common bases come last
				c.mro = slices.Delete(c.mro, i, i+1)
			}
			c.mro = append(c.mro, m)
		}
	}
	return c
}

// classes is a builtin class.
func (in *Interp) classes(name string) *class {
	c, _ := in.builtin[name].(*class)
	return c
}

func (x *instance) address() string { return fmt.Sprintf("0x7f85%08x", 0x43000000+x.id*0x40) }

func (x *instance) String() string {
	return "<" + x.class.qualified() + " object at " + x.address() + ">"
}
func (x *instance) Type() string { return x.class.name }
func (*instance) Freeze()        {}
func (x *instance) Name() string { return x.class.name }
func (x *instance) Hash() (uint32, error) {
	return uint32(x.id), nil
}

// Truth asks the object's own methods.
func (x *instance) Truth() starlark.Bool {
	for _, name := range []string{"__bool__", "__len__"} {
		if v, ok, err := x.method(name); ok && err == nil {
			return v.Truth()
		}
	}
	return true
}

// CallInternal calls an object that has __call__.
func (x *instance) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	fn, ok := x.class.lookup("__call__")
	if !ok {
		return nil, x.class.in.exceptionf("TypeError", "'%s' object is not callable", x.class.name)
	}
	return starlark.Call(t, fn, append(starlark.Tuple{x}, args...), kwargs)
}

// method calls a method of the object's class, if there is one.
func (x *instance) method(name string, args ...starlark.Value) (v starlark.Value, found bool, err error) {
	fn, ok := x.class.lookup(name)
	if !ok || fn == starlark.None {
		return nil, false, nil
	}
	v, err = starlark.Call(x.class.in.thread, fn, append(starlark.Tuple{x}, args...), nil)
	return v, true, err
}

func (b bound) String() string        { return "<bound method " + plainName(b.fn.Name()) + ">" }
func (bound) Type() string            { return "method" }
func (bound) Freeze()                 {}
func (bound) Truth() starlark.Bool    { return true }
func (b bound) Hash() (uint32, error) { return starlark.String(b.fn.Name()).Hash() }
func (b bound) Name() string          { return b.fn.Name() }

// CallInternal calls the method with its object.
func (b bound) CallInternal(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return starlark.Call(t, b.fn, append(starlark.Tuple{b.self}, args...), kwargs)
}

func (w *wrapper) String() string      { return "<" + w.kind + " object>" }
func (w *wrapper) Type() string        { return w.kind }
func (*wrapper) Freeze()               {}
func (*wrapper) Truth() starlark.Bool  { return true }
func (*wrapper) Hash() (uint32, error) { return 1, nil }

func (ellipsis) String() string        { return "Ellipsis" }
func (ellipsis) Type() string          { return "ellipsis" }
func (ellipsis) Freeze()               {}
func (ellipsis) Truth() starlark.Bool  { return true }
func (ellipsis) Hash() (uint32, error) { return 2, nil }

// globalsTarget is where statements of the module assign to.
type globalsTarget struct{ in *Interp }

func (*globalsTarget) String() string        { return "globals" }
func (*globalsTarget) Type() string          { return "globals" }
func (*globalsTarget) Freeze()               {}
func (*globalsTarget) Truth() starlark.Bool  { return true }
func (*globalsTarget) Hash() (uint32, error) { return 3, nil }

// Get reads a variable.
func (g *globalsTarget) Get(k starlark.Value) (starlark.Value, bool, error) {
	name, _ := starlark.AsString(k)
	v, ok := g.in.env[name]
	return v, ok, nil
}

// SetKey assigns to a variable.
func (g *globalsTarget) SetKey(k, v starlark.Value) error {
	name, _ := starlark.AsString(k)
	g.in.set(name, v)
	return nil
}
