package python

import (
	"strings"

	"go.starlark.net/starlark"
)

// deepest is the depth of calls, those of our own functions among them, at which a recursion has gone too far.
const deepest = 3000

// goFunc is a builtin as Go has it.
type goFunc func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

func builtin(name string, fn goFunc) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return fn(t, args, kwargs)
	})
}

// core are the functions that lowered programs call for what Starlark has no form for.
func (in *Interp) core() starlark.StringDict {
	out := starlark.StringDict{
		mark + "g": &globalsTarget{in},
		"None":     starlark.None,
		"True":     starlark.True,
		"False":    starlark.False,
		"Ellipsis": ellipsis{},
	}
	for name, fn := range map[string]func(args starlark.Tuple) (starlark.Value, error){
		"keep": func(a starlark.Tuple) (starlark.Value, error) {
			in.result = a[0]
			return a[0], nil
		},
		"enter": func(starlark.Tuple) (starlark.Value, error) {
			if in.thread.CallStackDepth() > deepest {
				return nil, in.exceptionf("RecursionError", "maximum recursion depth exceeded")
			}
			return starlark.None, nil
		},
		"attr": func(a starlark.Tuple) (starlark.Value, error) { return in.attr(a[0], text(a[1])) },
		"setattr": func(a starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.setAttr(a[0], text(a[1]), a[2])
		},
		"delattr": func(a starlark.Tuple) (starlark.Value, error) { return starlark.None, in.deleteAttr(a[0], text(a[1])) },
		"index":   func(a starlark.Tuple) (starlark.Value, error) { return in.index(a[0], a[1]) },
		"setitem": func(a starlark.Tuple) (starlark.Value, error) { return starlark.None, in.setItem(a[0], a[1], a[2]) },
		"delitem": func(a starlark.Tuple) (starlark.Value, error) { return starlark.None, in.deleteItem(a[0], a[1]) },
		"slice":   func(a starlark.Tuple) (starlark.Value, error) { return in.slice(a[0], a[1], a[2], a[3]) },
		"unary":   func(a starlark.Tuple) (starlark.Value, error) { return in.unary(text(a[0]), a[1]) },
		"binary":  func(a starlark.Tuple) (starlark.Value, error) { return in.binary(text(a[0]), a[1], a[2]) },
		"augment": func(a starlark.Tuple) (starlark.Value, error) { return in.augment(text(a[0]), a[1], a[2]) },
		"compare": func(a starlark.Tuple) (starlark.Value, error) { return in.compare(text(a[0]), a[1], a[2]) },
		"chain":   in.chain,
		"iter":    func(a starlark.Tuple) (starlark.Value, error) { return in.iterable(a[0]) },
		"unpack":  in.unpack,
		"star":    func(a starlark.Tuple) (starlark.Value, error) { return starlark.Tuple{ellipsis{}, a[0]}, nil },
		"splice":  in.splice,
		"merge":   in.merge,
		"dict":    in.dictionary,
		"set": func(a starlark.Tuple) (starlark.Value, error) {
			items, err := in.list(a[0])
			if err != nil {
				return nil, err
			}
			return in.makeSet(items)
		},
		"tuple": func(a starlark.Tuple) (starlark.Value, error) {
			items, err := in.list(a[0])
			return starlark.Tuple(items), err
		},
		"generator": func(a starlark.Tuple) (starlark.Value, error) {
			items, err := in.list(a[0])
			return &iterator{items: items, kind: "generator", id: in.address()}, err
		},
		"yield":     in.yield,
		"formatted": in.formatted,
		"joined": func(a starlark.Tuple) (starlark.Value, error) {
			var b strings.Builder
			for _, x := range a {
				b.WriteString(text(x))
			}
			return starlark.String(b.String()), nil
		},
		"walrus": func(a starlark.Tuple) (starlark.Value, error) {
			return a[2], a[0].(starlark.HasSetKey).SetKey(a[1], a[2])
		},
		"local": func(a starlark.Tuple) (starlark.Value, error) {
			if v, ok, _ := a[0].(*starlark.Dict).Get(a[1]); ok {
				return v, nil
			}
			return nil, in.exceptionf("UnboundLocalError", "cannot access local variable '%s' where it is not associated with a value", text(a[1]))
		},
		"member": func(a starlark.Tuple) (starlark.Value, error) {
			if v, ok, _ := a[0].(*starlark.Dict).Get(a[1]); ok {
				return v, nil
			}
			return in.global(text(a[1]))
		},
		"forget": func(a starlark.Tuple) (starlark.Value, error) {
			_, ok, _ := a[0].(*starlark.Dict).Delete(a[1])
			if !ok {
				return nil, in.exceptionf("UnboundLocalError", "cannot access local variable '%s' where it is not associated with a value", text(a[1]))
			}
			return starlark.None, nil
		},
		"drop": func(a starlark.Tuple) (starlark.Value, error) {
			if d, ok := a[0].(*starlark.Dict); ok {
				_, _, err := d.Delete(a[1])
				return starlark.None, err
			}
			in.unset(text(a[1]))
			return starlark.None, nil
		},
		"delete": func(a starlark.Tuple) (starlark.Value, error) {
			if !in.unset(text(a[0])) {
				return nil, in.exceptionf("NameError", "name '%s' is not defined", text(a[0]))
			}
			return starlark.None, nil
		},
		"defined": in.defined,
		"class":   in.classStatement,
		"raise":   in.raiseStatement,
		"failed":  in.failedAssertion,
		"try":     in.tryStatement,
		"with":    in.withStatement,
		"return":  func(a starlark.Tuple) (starlark.Value, error) { return jump{"return", a[0]}, nil },
		"jump":    func(a starlark.Tuple) (starlark.Value, error) { return jump{text(a[0]), nil}, nil },
		"asks": func(a starlark.Tuple) (starlark.Value, error) {
			j, ok := a[0].(jump)
			return starlark.Bool(ok && j.kind == text(a[1])), nil
		},
		"returned": func(a starlark.Tuple) (starlark.Value, error) { return a[0].(jump).value, nil },
		"import": func(a starlark.Tuple) (starlark.Value, error) {
			return in.importModule(text(a[0]), a[1] == starlark.True)
		},
		"from":      func(a starlark.Tuple) (starlark.Value, error) { return in.importFrom(text(a[0]), text(a[1])) },
		"importall": func(a starlark.Tuple) (starlark.Value, error) { return starlark.None, in.importAll(text(a[0])) },
	} {
		out[mark+name] = builtin(mark+name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return fn(args)
		})
	}
	return out
}

func text(v starlark.Value) string {
	s, _ := starlark.AsString(v)
	return s
}

func (in *Interp) global(name string) (starlark.Value, error) {
	if v, ok := in.env[name]; ok {
		return v, nil
	}
	return nil, in.exceptionf("NameError", "name '%s' is not defined", name)
}

// jump is what a part of a body returns that has met return, break or continue.
type jump struct {
	kind  string
	value starlark.Value
}

func (j jump) String() string      { return j.kind }
func (jump) Type() string          { return "jump" }
func (jump) Freeze()               {}
func (jump) Truth() starlark.Bool  { return true }
func (jump) Hash() (uint32, error) { return 4, nil }

// defined notes where a function stands.
func (in *Interp) defined(a starlark.Tuple) (starlark.Value, error) {
	fn := a[0].(*starlark.Function)
	first, _ := starlark.AsInt32(a[1])
	last, _ := starlark.AsInt32(a[2])
	if s := in.sources[fn.Position().Filename()]; s != nil {
		var params []string
		for i := range fn.NumParams() {
			name, _ := fn.Param(i)
			params = append(params, name)
		}
		s.defs[fn.Name()] = defRange{first, last, text(a[3]), "(" + strings.Join(params, ", ") + ")"}
	}
	return fn, nil
}

func (in *Interp) classStatement(a starlark.Tuple) (starlark.Value, error) {
	var bases []*class
	for _, b := range a[1].(starlark.Tuple) {
		c, ok := b.(*class)
		if !ok {
			return nil, in.exceptionf("TypeError", "this Python cannot derive from %s", in.typeName(b))
		}
		bases = append(bases, c)
	}
	if len(bases) == 0 {
		bases = []*class{in.classes("object")}
	}
	c := in.newClass("__main__", text(a[0]), bases...)
	_, err := starlark.Call(in.thread, a[2], starlark.Tuple{c.members}, nil)
	return c, err
}

func (in *Interp) raiseStatement(a starlark.Tuple) (starlark.Value, error) {
	if a[0] == starlark.None {
		if len(in.handling) == 0 {
			return nil, in.exceptionf("RuntimeError", "No active exception to reraise")
		}
		return nil, &raised{in.handling[len(in.handling)-1]}
	}
	x, err := in.asException(a[0])
	if err != nil {
		return nil, err
	}
	if a[1] != starlark.None {
		if x.cause, err = in.asException(a[1]); err != nil {
			return nil, err
		}
	}
	return nil, &raised{x}
}

// asException is an exception, or one made of a class.
func (in *Interp) asException(v starlark.Value) (*instance, error) {
	if c, ok := v.(*class); ok {
		made, err := c.CallInternal(in.thread, nil, nil)
		if err != nil {
			return nil, err
		}
		v = made
	}
	if x, ok := v.(*instance); ok && x.exception != nil {
		return x, nil
	}
	return nil, in.exceptionf("TypeError", "exceptions must derive from BaseException")
}

func (in *Interp) failedAssertion(a starlark.Tuple) (starlark.Value, error) {
	var args starlark.Tuple
	if a[0] != starlark.None {
		msg, err := starlark.Call(in.thread, a[0], nil, nil)
		if err != nil {
			return nil, err
		}
		args = starlark.Tuple{msg}
	}
	return in.classes("AssertionError").CallInternal(in.thread, args, nil)
}

// tryStatement runs the parts of a try statement and returns what the last of them asks for.
func (in *Interp) tryStatement(a starlark.Tuple) (starlark.Value, error) {
	handlers := a[1].(*starlark.List)
	out, err := starlark.Call(in.thread, a[0], nil, nil)
	switch {
	case in.over():
		return out, err
	case err != nil:
		out, err = in.handle(err, handlers)
	case a[2] != starlark.None && out == starlark.None:
		out, err = starlark.Call(in.thread, a[2], nil, nil)
	}
	if a[3] != starlark.None && !in.over() {
		last, finalErr := starlark.Call(in.thread, a[3], nil, nil)
		if _, ok := last.(jump); ok || finalErr != nil {
			return last, finalErr
		}
	}
	return out, err
}

// over tells whether the process has ended, which nothing can catch.
func (in *Interp) over() bool { return in.stopped || in.ctx.Err() != nil }

// handle gives an exception to the first handler that takes it.
func (in *Interp) handle(err error, handlers *starlark.List) (starlark.Value, error) {
	x := in.exception(err)
	err = &raised{x}
	for i := 0; i+1 < handlers.Len(); i += 2 {
		if types := handlers.Index(i); types != starlark.None {
			v, typesErr := starlark.Call(in.thread, types, nil, nil)
			if typesErr != nil {
				return nil, typesErr
			}
			if !in.isInstance(x, v) {
				continue
			}
		}
		in.handling = append(in.handling, x)
		out, handlerErr := starlark.Call(in.thread, handlers.Index(i+1), starlark.Tuple{x}, nil)
		if handlerErr != nil && !in.over() {
			handlerErr = &raised{in.exception(handlerErr)} // while this one is being handled
		}
		in.handling = in.handling[:len(in.handling)-1]
		return out, handlerErr
	}
	return nil, err
}

func (in *Interp) withStatement(a starlark.Tuple) (starlark.Value, error) {
	enter, err := in.attr(a[0], "__enter__")
	if err != nil {
		return nil, in.exceptionf("TypeError", "'%s' object does not support the context manager protocol", in.typeName(a[0]))
	}
	exit, err := in.attr(a[0], "__exit__")
	if err != nil {
		return nil, in.exceptionf("TypeError", "'%s' object does not support the context manager protocol", in.typeName(a[0]))
	}
	value, err := starlark.Call(in.thread, enter, nil, nil)
	if err != nil {
		return nil, err
	}
	out, err := starlark.Call(in.thread, a[1], starlark.Tuple{value}, nil)
	if in.over() {
		return out, err
	}
	args := starlark.Tuple{starlark.None, starlark.None, starlark.None}
	if err != nil {
		x := in.exception(err)
		err = &raised{x}
		args[0], args[1] = x.class, x
	}
	suppress, exitErr := starlark.Call(in.thread, exit, args, nil)
	if exitErr != nil {
		return nil, exitErr
	}
	if err != nil && bool(suppress.Truth()) {
		return starlark.None, nil
	}
	return out, err
}

func (in *Interp) yield(a starlark.Tuple) (starlark.Value, error) {
	l := a[0].(*starlark.List)
	if a[2] != starlark.True {
		return starlark.None, l.Append(a[1])
	}
	items, err := in.list(a[1])
	for _, x := range items {
		if err == nil {
			err = l.Append(x)
		}
	}
	return starlark.None, err
}
