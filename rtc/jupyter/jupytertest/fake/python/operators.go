package python

import (
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var binaryTokens = map[string]syntax.Token{
	"+": syntax.PLUS, "-": syntax.MINUS, "*": syntax.STAR, "/": syntax.SLASH, "//": syntax.SLASHSLASH, "%": syntax.PERCENT,
	"&": syntax.AMP, "|": syntax.PIPE, "^": syntax.CIRCUMFLEX, "<<": syntax.LTLT, ">>": syntax.GTGT,
}

var special = map[string]string{
	"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "&": "and", "|": "or", "^": "xor", "<<": "lshift",
	">>": "rshift", "**": "pow", "@": "matmul", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}

// number is a bool as the int that it is in Python; other values are themselves.
func asNumber(v starlark.Value) starlark.Value {
	if b, ok := v.(starlark.Bool); ok {
		if b {
			return starlark.MakeInt(1)
		}
		return starlark.MakeInt(0)
	}
	return v
}

func isNumber(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Float:
		return true
	}
	return false
}

func (in *Interp) unary(op string, x starlark.Value) (starlark.Value, error) {
	n := asNumber(x)
	if i, ok := x.(*instance); ok {
		name := map[string]string{"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op]
		if v, found, err := i.method(name); found || err != nil {
			return v, err
		}
	}
	token := map[string]syntax.Token{"-": syntax.MINUS, "+": syntax.PLUS, "~": syntax.TILDE}[op]
	if _, isInt := n.(starlark.Int); isNumber(n) && (op != "~" || isInt) {
		return starlark.Unary(token, n)
	}
	return nil, in.exceptionf("TypeError", "bad operand type for unary %s: '%s'", op, in.typeName(x))
}

// operand is a value of our own that has operators; nil means that it has not this one.
type operand interface {
	operate(in *Interp, op string, y starlark.Value) (starlark.Value, error)
}

func (in *Interp) binary(op string, x, y starlark.Value) (starlark.Value, error) {
	for i, v := range []starlark.Value{x, y} {
		obj, ok := v.(*instance)
		if !ok {
			continue
		}
		name, other := "__"+special[op]+"__", y
		if i == 1 {
			name, other = "__r"+special[op]+"__", x
		}
		if v, found, err := obj.method(name, other); found || err != nil {
			return v, err
		}
	}
	if o, ok := x.(operand); ok {
		if v, err := o.operate(in, op, y); v != nil || err != nil {
			return v, err
		}
	}
	if s, ok := x.(starlark.String); ok && op == "%" {
		return in.percent(string(s), y)
	}
	a, b := asNumber(x), asNumber(y)
	if isNumber(a) && isNumber(b) {
		return in.arithmetic(op, a, b)
	}
	if token, ok := binaryTokens[op]; ok && op != "%" && op != "/" && op != "//" {
		if n, isInt := b.(starlark.Int); isInt && op == "*" {
			if k, _ := n.Int64(); k < 0 {
				b = starlark.MakeInt(0)
			}
		}
		if joined, ok := in.concatenate(op, x, y); ok {
			return joined, nil
		}
		if v, err := starlark.Binary(token, a, b); err == nil {
			return v, nil
		} else if !strings.HasPrefix(err.Error(), "unknown binary op") {
			return nil, err
		}
	}
	return nil, in.unsupported(op, x, y)
}

// concatenate joins bytes, which Starlark does not.
func (*Interp) concatenate(op string, x, y starlark.Value) (starlark.Value, bool) {
	a, isBytes := x.(starlark.Bytes)
	if !isBytes {
		return nil, false
	}
	if b, ok := y.(starlark.Bytes); ok && op == "+" {
		return a + b, true
	}
	if n, ok := integer(y); ok && op == "*" {
		return starlark.Bytes(strings.Repeat(string(a), max(n, 0))), true
	}
	return nil, false
}

func (in *Interp) unsupported(op string, x, y starlark.Value) error {
	a, b := in.typeName(x), in.typeName(y)
	switch {
	case op == "+" && (a == "str" || a == "list" || a == "tuple"):
		return in.exceptionf("TypeError", `can only concatenate %s (not "%s") to %s`, a, b, a)
	case op == "+" && a == "bytes":
		return in.exceptionf("TypeError", "can't concat %s to bytes", b)
	case op == "*" && (a == "str" || a == "list" || a == "tuple" || a == "bytes"):
		return in.exceptionf("TypeError", "can't multiply sequence by non-int of type '%s'", b)
	case op == "**":
		op = "** or pow()"
	}
	return in.exceptionf("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op, a, b)
}

func (in *Interp) arithmetic(op string, a, b starlark.Value) (starlark.Value, error) {
	if op == "/" || op == "//" || op == "%" {
		if f, ok := starlark.AsFloat(b); ok && f == 0 {
			_, aInt := a.(starlark.Int)
			_, bInt := b.(starlark.Int)
			switch {
			case aInt && bInt && op == "//":
				return nil, in.exceptionf("ZeroDivisionError", "integer division or modulo by zero")
			case aInt && bInt && op == "%":
				return nil, in.exceptionf("ZeroDivisionError", "integer modulo by zero")
			case !(aInt && bInt) && op == "/":
				return nil, in.exceptionf("ZeroDivisionError", "float division by zero")
			case !(aInt && bInt):
				return nil, in.exceptionf("ZeroDivisionError", "float floor division by zero")
			}
			return nil, in.exceptionf("ZeroDivisionError", "division by zero")
		}
	}
	if op == "**" {
		return in.power(a, b)
	}
	token, ok := binaryTokens[op]
	if !ok {
		return nil, in.unsupported(op, a, b)
	}
	v, err := starlark.Binary(token, a, b)
	if err != nil {
		return nil, in.unsupported(op, a, b)
	}
	return v, nil
}

func (in *Interp) power(a, b starlark.Value) (starlark.Value, error) {
	x, aInt := a.(starlark.Int)
	y, bInt := b.(starlark.Int)
	if aInt && bInt && y.Sign() >= 0 {
		if n, ok := y.Int64(); ok && n < 1<<24 {
			return starlark.MakeBigInt(new(big.Int).Exp(x.BigInt(), big.NewInt(n), nil)), nil
		}
		return nil, in.raise("MemoryError")
	}
	f, _ := starlark.AsFloat(a)
	g, _ := starlark.AsFloat(b)
	if f == 0 && g < 0 {
		return nil, in.exceptionf("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	}
	return starlark.Float(math.Pow(f, g)), nil
}

// augment is "x op= y": lists and their like are changed in place.
func (in *Interp) augment(op string, x, y starlark.Value) (starlark.Value, error) {
	switch x := x.(type) {
	case *starlark.List:
		if op != "+" {
			break
		}
		items, err := in.list(y)
		if err != nil {
			return nil, err
		}
		for _, v := range items {
			if err := x.Append(v); err != nil {
				return nil, err
			}
		}
		return x, nil
	case *instance:
		if v, found, err := x.method("__i"+special[op]+"__", y); found || err != nil {
			return v, err
		}
	}
	v, err := in.binary(op, x, y)
	if err != nil {
		if r := in.exception(err); r.class.name == "TypeError" && strings.HasPrefix(in.describe(r), "unsupported operand type(s) for "+op+":") {
			return nil, in.exceptionf("TypeError", "unsupported operand type(s) for %s=: '%s' and '%s'", op, in.typeName(x), in.typeName(y))
		}
	}
	return v, err
}

func (in *Interp) chain(a starlark.Tuple) (starlark.Value, error) {
	var last starlark.Value = starlark.True
	for i := 0; i+2 < len(a); i += 2 {
		v, err := in.compare(text(a[i+1]), a[i], a[i+2])
		if err != nil {
			return nil, err
		}
		if last = v; !bool(v.Truth()) {
			break
		}
	}
	return last, nil
}

func (in *Interp) compare(op string, x, y starlark.Value) (starlark.Value, error) {
	switch op {
	case "is":
		return starlark.Bool(same(x, y)), nil
	case "is not":
		return starlark.Bool(!same(x, y)), nil
	case "in", "not in":
		found, err := in.contains(y, x)
		return starlark.Bool(found == (op == "in")), err
	}
	if obj, ok := x.(*instance); ok {
		if v, found, err := obj.method("__"+special[op]+"__", y); found || err != nil {
			return v, err
		}
		if v, found, err := obj.method("__eq__", y); op == "!=" && (found || err != nil) {
			return starlark.Bool(err == nil && !bool(v.Truth())), err
		}
	}
	if o, ok := x.(operand); ok {
		if v, err := o.operate(in, op, y); v != nil || err != nil {
			return v, err
		}
	}
	token := map[string]syntax.Token{
		"==": syntax.EQL, "!=": syntax.NEQ, "<": syntax.LT, "<=": syntax.LE, ">": syntax.GT, ">=": syntax.GE,
	}[op]
	ok, err := starlark.Compare(token, asNumber(x), asNumber(y))
	if err != nil {
		return nil, in.exceptionf("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, in.typeName(x), in.typeName(y))
	}
	return starlark.Bool(ok), nil
}

// same tells whether two values are one object, as far as that can be told here.
func same(x, y starlark.Value) (yes bool) {
	switch x.(type) {
	case starlark.Tuple:
		return false
	case starlark.Bool, starlark.Int, starlark.Float, starlark.String, starlark.Bytes:
		if x.Type() != y.Type() {
			return false
		}
		eq, err := starlark.Equal(x, y)
		return eq && err == nil
	}
	if _, ok := y.(starlark.Tuple); ok {
		return false
	}
	return x == y
}

func (in *Interp) contains(where, x starlark.Value) (bool, error) {
	switch where := where.(type) {
	case starlark.String:
		s, ok := x.(starlark.String)
		if !ok {
			return false, in.exceptionf("TypeError", "'in <string>' requires string as left operand, not %s", in.typeName(x))
		}
		return strings.Contains(string(where), string(s)), nil
	case starlark.Bytes:
		if s, ok := x.(starlark.Bytes); ok {
			return strings.Contains(string(where), string(s)), nil
		}
	case starlark.Mapping:
		_, found, err := where.Get(x)
		return found, err
	case *starlark.Set:
		return where.Has(x)
	case *instance:
		if v, found, err := where.method("__contains__", x); found || err != nil {
			return err == nil && bool(v.Truth()), err
		}
	}
	items, err := in.list(where)
	if err != nil {
		return false, in.exceptionf("TypeError", "argument of type '%s' is not iterable", in.typeName(where))
	}
	for _, item := range items {
		eq, err := in.compare("==", item, x)
		if err != nil {
			return false, err
		}
		if eq.Truth() {
			return true, nil
		}
	}
	return false, nil
}
