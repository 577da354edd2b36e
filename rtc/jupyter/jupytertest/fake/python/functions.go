package python

import (
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
)

// functions are the builtin ones.
func (in *Interp) functions() map[string]goFunc {
	one := func(fn func(starlark.Value) (starlark.Value, error)) goFunc {
		return func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, in.exceptionf("TypeError", "function takes exactly one argument (%d given)", len(args))
			}
			return fn(args[0])
		}
	}
	return map[string]goFunc{
		"print": in.print,
		"len": one(func(v starlark.Value) (starlark.Value, error) {
			n, err := in.length(v)
			return starlark.MakeInt(n), err
		}),
		"repr": one(func(v starlark.Value) (starlark.Value, error) {
			s, err := in.repr(v)
			return starlark.String(s), err
		}),
		"ascii": one(func(v starlark.Value) (starlark.Value, error) {
			s, err := in.repr(v)
			return starlark.String(ascii(s)), err
		}),
		"hash": one(func(v starlark.Value) (starlark.Value, error) {
			if n, ok := asNumber(v).(starlark.Int); ok {
				return n, nil
			}
			h, err := v.Hash()
			return starlark.MakeUint(uint(h)), err
		}),
		"id": one(func(v starlark.Value) (starlark.Value, error) {
			if x, ok := v.(*instance); ok {
				return starlark.MakeInt(0x7f8543000000 + x.id*0x40), nil
			}
			h, err := v.Hash()
			return starlark.MakeUint(uint(h)), err
		}),
		"callable": one(func(v starlark.Value) (starlark.Value, error) {
			if x, ok := v.(*instance); ok {
				_, found := x.class.lookup("__call__")
				return starlark.Bool(found), nil
			}
			_, ok := v.(starlark.Callable)
			return starlark.Bool(ok), nil
		}),
		"ord": one(in.ord),
		"chr": one(func(v starlark.Value) (starlark.Value, error) {
			n, _ := integer(v)
			return starlark.String(string(rune(n))), nil
		}),
		"hex":    one(func(v starlark.Value) (starlark.Value, error) { return in.based(v, 16, "0x") }),
		"oct":    one(func(v starlark.Value) (starlark.Value, error) { return in.based(v, 8, "0o") }),
		"bin":    one(func(v starlark.Value) (starlark.Value, error) { return in.based(v, 2, "0b") }),
		"abs":    one(in.abs),
		"round":  in.round,
		"divmod": in.divmod,
		"pow": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return in.binary("**", a[0], a[1])
		},
		"sum": in.sum,
		"min": in.extreme("<"),
		"max": in.extreme(">"),
		"sorted": func(_ *starlark.Thread, a starlark.Tuple, kw []starlark.Tuple) (starlark.Value, error) {
			items, err := in.sorted(a[0], kw)
			return starlark.NewList(items), err
		},
		"map":    in.mapped,
		"filter": in.filtered,
		"iter":   one(func(v starlark.Value) (starlark.Value, error) { return in.iterator(v) }),
		"next":   in.next,
		"isinstance": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.Bool(in.isInstance(a[0], a[1])), nil
		},
		"issubclass": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			c, _ := a[0].(*class)
			of, _ := a[1].(*class)
			return starlark.Bool(c != nil && of != nil && c.derives(of)), nil
		},
		"getattr": in.getAttr,
		"hasattr": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			v, err := in.find(a[0], text(a[1]))
			return starlark.Bool(v != nil && err == nil), nil
		},
		"setattr": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.setAttr(a[0], text(a[1]), a[2])
		},
		"globals": in.variables,
		"locals":  in.variables,
		"vars":    in.variables,
		"dir":     in.dirOf,
		"eval": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return in.eval(text(a[0]), "<string>")
		},
		"exec": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			file := in.addSource("<string>", text(a[0]))
			_, err := in.exec(text(a[0]), file)
			return starlark.None, err
		},
		"format": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			s, err := in.formatSpec(a[0], text(argumentOf(a, nil, 1, "", starlark.String(""))))
			return starlark.String(s), err
		},
		"super": in.super,
		"open":  in.open,
		"input": in.input,
		"__import__": func(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return in.importModule(text(a[0]), true)
		},
		"get_ipython": func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return shell{in}, nil
		},
		"display": in.display,
		"exit":    in.exit,
		"quit":    in.exit,
	}
}

func (in *Interp) print(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep, end := " ", "\n"
	if v := option(kwargs, "sep", starlark.None); v != starlark.None {
		sep = text(v)
	}
	if v := option(kwargs, "end", starlark.None); v != starlark.None {
		end = text(v)
	}
	parts := make([]string, len(args))
	for i, a := range args {
		s, err := in.str(a)
		if err != nil {
			return nil, err
		}
		parts[i] = s
	}
	flush := bool(option(kwargs, "flush", starlark.False).Truth())
	line := strings.Join(parts, sep) + end
	to := option(kwargs, "file", starlark.None)
	s, ok := to.(*stream)
	switch {
	case to == starlark.None:
		s = &stream{in, "stdout"}
	case !ok:
		write, err := in.attr(to, "write")
		if err == nil {
			_, err = starlark.Call(in.thread, write, starlark.Tuple{starlark.String(line)}, nil)
		}
		return starlark.None, err
	}
	in.io.Stream(s.name, line)
	if flush {
		in.io.Flush(s.name)
	}
	return starlark.None, nil
}

func (in *Interp) ord(v starlark.Value) (starlark.Value, error) {
	r := []rune(text(v))
	if len(r) != 1 {
		return nil, in.exceptionf("TypeError", "ord() expected a character, but string of length %d found", len(r))
	}
	return starlark.MakeInt(int(r[0])), nil
}

func (in *Interp) based(v starlark.Value, base int, prefix string) (starlark.Value, error) {
	n, ok := asNumber(v).(starlark.Int)
	if !ok {
		return nil, in.exceptionf("TypeError", "'%s' object cannot be interpreted as an integer", in.typeName(v))
	}
	if n.Sign() < 0 {
		prefix = "-" + prefix
	}
	return starlark.String(prefix + new(big.Int).Abs(n.BigInt()).Text(base)), nil
}

func (in *Interp) abs(v starlark.Value) (starlark.Value, error) {
	switch n := asNumber(v).(type) {
	case starlark.Int:
		return starlark.MakeBigInt(new(big.Int).Abs(n.BigInt())), nil
	case starlark.Float:
		return starlark.Float(math.Abs(float64(n))), nil
	}
	return nil, in.exceptionf("TypeError", "bad operand type for abs(): '%s'", in.typeName(v))
}

func (in *Interp) round(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	f, ok := starlark.AsFloat(asNumber(args[0]))
	if !ok {
		return nil, in.exceptionf("TypeError", "type %s doesn't define __round__ method", in.typeName(args[0]))
	}
	digits := argumentOf(args, kwargs, 1, "ndigits", starlark.None)
	n, _ := integer(digits)
	scale := math.Pow(10, float64(n))
	rounded := math.RoundToEven(f*scale) / scale
	if _, isInt := args[0].(starlark.Int); digits == starlark.None || isInt {
		i, err := starlark.NumberToInt(starlark.Float(rounded))
		return i, err
	}
	return starlark.Float(rounded), nil
}

func (in *Interp) divmod(_ *starlark.Thread, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	q, err := in.binary("//", a[0], a[1])
	if err != nil {
		return nil, err
	}
	r, err := in.binary("%", a[0], a[1])
	return starlark.Tuple{q, r}, err
}

func (in *Interp) sum(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	items, err := in.list(args[0])
	total := argumentOf(args, kwargs, 1, "start", starlark.MakeInt(0))
	for _, x := range items {
		if err == nil {
			total, err = in.binary("+", total, x)
		}
	}
	return total, err
}

// extreme is min or max.
func (in *Interp) extreme(op string) goFunc {
	return func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		items := []starlark.Value(args)
		if len(args) == 1 {
			var err error
			if items, err = in.list(args[0]); err != nil {
				return nil, err
			}
		}
		key := option(kwargs, "key", starlark.None)
		var best, bestKey starlark.Value
		for _, x := range items {
			k := x
			if key != starlark.None {
				var err error
				if k, err = starlark.Call(in.thread, key, starlark.Tuple{x}, nil); err != nil {
					return nil, err
				}
			}
			if best != nil {
				better, err := in.compare(op, k, bestKey)
				if err != nil {
					return nil, err
				}
				if !bool(better.Truth()) {
					continue
				}
			}
			best, bestKey = x, k
		}
		if best == nil {
			if def := option(kwargs, "default", nil); def != nil {
				return def, nil
			}
			name := map[string]string{"<": "min", ">": "max"}[op]
			return nil, in.exceptionf("ValueError", "%s() iterable argument is empty", name)
		}
		return best, nil
	}
}
