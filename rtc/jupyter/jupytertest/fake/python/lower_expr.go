package python

import (
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

func (l *lowerer) ident(name string) *syntax.Ident {
	return &syntax.Ident{NamePos: l.position(), Name: name}
}

func (l *lowerer) str(s string) syntax.Expr {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: l.position(), Raw: "''", Value: s}
}

func (l *lowerer) int(n int) syntax.Expr {
	return &syntax.Literal{Token: syntax.INT, TokenPos: l.position(), Raw: "0", Value: int64(n)}
}

// call calls one of our own functions.
func (l *lowerer) call(fn string, args ...syntax.Expr) *syntax.CallExpr {
	return l.apply(l.ident(mark+fn), args...)
}

func (l *lowerer) apply(fn syntax.Expr, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: fn, Lparen: l.position(), Args: args, Rparen: l.position()}
}

func (l *lowerer) not(x syntax.Expr) syntax.Expr {
	return &syntax.UnaryExpr{OpPos: l.position(), Op: syntax.NOT, X: x}
}

func (l *lowerer) orNone(x expr) syntax.Expr {
	if x == nil {
		return l.ident("None")
	}
	return l.expr(x)
}

// thunk is a function that evaluates an expression later, None for no expression.
func (l *lowerer) thunk(x expr) syntax.Expr {
	if x == nil {
		return l.ident("None")
	}
	return &syntax.LambdaExpr{Lambda: l.position(), Body: l.expr(x)}
}

// boxed is a name of a box.
func (l *lowerer) boxed(box, name string) syntax.Expr {
	return &syntax.IndexExpr{X: l.ident(box), Lbrack: l.position(), Y: l.str(name), Rbrack: l.position()}
}

// read is the value of a name.
func (l *lowerer) read(name string) syntax.Expr {
	direct := true // nothing lies between but comprehensions
	for s := l.scope; s != nil; s = s.parent {
		switch {
		case s.kind == ofModule || s.globals[name]:
			return l.ident(name)
		case !s.locals[name]:
		case s.kind == ofClass && direct:
			return l.call("member", l.ident(s.box), l.str(name))
		case s.kind == ofClass:
		case s.box != "":
			return l.call("local", l.ident(s.box), l.str(name))
		default:
			return l.ident(name)
		}
		direct = direct && s.kind == ofComprehension
	}
	return l.ident(name)
}

// target is where a name is assigned.
func (l *lowerer) target(name string) syntax.Expr {
	s := l.scope
	for s.kind == ofComprehension {
		s = s.parent
	}
	if s.nonlocals[name] {
		for s = s.parent; s != nil && (s.kind != ofFunction || !s.locals[name]); s = s.parent {
		}
		if s == nil {
			panic(syntaxErrorf(l.at, "no binding for nonlocal '%s' found", name))
		}
		return l.boxed(s.box, name)
	}
	switch {
	case s.kind == ofModule || s.globals[name]:
		return l.boxed(mark+"g", name)
	case s.box != "":
		return l.boxed(s.box, name)
	}
	return l.ident(name)
}

func (l *lowerer) expr(x expr) syntax.Expr {
	outer := l.at
	l.at = x.place()
	defer func() { l.at = outer }()
	switch x := x.(type) {
	case nameX:
		return l.read(x.id)
	case constX:
		return l.constant(x.value)
	case attrX:
		return l.call("attr", l.expr(x.x), l.str(x.name))
	case indexX:
		if s, ok := x.index.(sliceX); ok {
			return l.call("slice", l.expr(x.x), l.orNone(s.lo), l.orNone(s.hi), l.orNone(s.step))
		}
		return l.call("index", l.expr(x.x), l.expr(x.index))
	case sliceX:
		return l.ident("None")
	case callX:
		return l.callExpr(x)
	case unaryX:
		if x.op == "not" {
			return l.not(l.expr(x.x))
		}
		return l.call("unary", l.str(x.op), l.expr(x.x))
	case binX:
		return l.call("binary", l.str(x.op), l.expr(x.x), l.expr(x.y))
	case boolX:
		op := map[string]syntax.Token{"and": syntax.AND, "or": syntax.OR}[x.op]
		return &syntax.BinaryExpr{X: l.expr(x.x), OpPos: l.position(), Op: op, Y: l.expr(x.y)}
	case cmpX:
		return l.comparison(x)
	case condX:
		at := l.position()
		return &syntax.CondExpr{If: at, Cond: l.expr(x.cond), True: l.expr(x.yes), ElsePos: at, False: l.expr(x.no)}
	case lambdaX:
		return l.lambda(x)
	case listX:
		return l.list(x)
	case dictX:
		return l.dict(x)
	case compX:
		return l.comprehension(x)
	case formatX:
		return l.format(x.parts)
	case yieldX:
		return l.call("yield", l.ident(mark+"y"), l.expr(x.x), l.constant(starlark.Bool(x.from)))
	case walrusX:
		return l.walrus(x)
	}
	panic(syntaxErrorf(x.place(), "can't use starred expression here"))
}

func isString(v starlark.Value) bool {
	_, ok := v.(starlark.String)
	return ok
}

func (l *lowerer) constant(v starlark.Value) syntax.Expr {
	literal := func(token syntax.Token, value any) syntax.Expr {
		return &syntax.Literal{Token: token, TokenPos: l.position(), Raw: "0", Value: value}
	}
	switch v := v.(type) {
	case starlark.String:
		return l.str(string(v))
	case starlark.Bytes:
		return literal(syntax.BYTES, string(v))
	case starlark.Float:
		return literal(syntax.FLOAT, float64(v))
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return literal(syntax.INT, n)
		}
		return literal(syntax.INT, new(big.Int).Set(v.BigInt()))
	}
	return l.ident(v.String()) // None, True, False, Ellipsis
}

func (l *lowerer) callExpr(x callX) syntax.Expr {
	if n, ok := x.fn.(nameX); ok && n.id == "super" && len(x.args) == 0 {
		if f := l.function(); f != nil && f.class != "" {
			x.args = []argument{{x: nameX{x.pos, f.class}}, {x: nameX{x.pos, f.first}}}
		}
	}
	var args, named, kw []syntax.Expr
	var stars []bool
	starred := false
	for _, a := range x.args {
		switch {
		case a.star == "**":
			kw = append(kw, l.expr(a.x))
		case a.name != "":
			named = append(named, &syntax.BinaryExpr{X: l.ident(a.name), OpPos: l.position(), Op: syntax.EQ, Y: l.expr(a.x)})
		default:
			args, stars = append(args, l.expr(a.x)), append(stars, a.star == "*")
			starred = starred || a.star == "*"
		}
	}
	fn := l.expr(x.fn)
	if starred {
		args = []syntax.Expr{}
		spliced := &syntax.UnaryExpr{OpPos: l.position(), Op: syntax.STAR, X: l.splice(x.args, stars)}
		named = append(named, spliced)
	}
	if len(kw) > 0 {
		named = append(named, &syntax.UnaryExpr{OpPos: l.position(), Op: syntax.STARSTAR, X: l.call("merge", kw...)})
	}
	return l.apply(fn, append(args, named...)...)
}

// splice makes one list of positional arguments, some of which are sequences of them.
func (l *lowerer) splice(args []argument, stars []bool) syntax.Expr {
	var list []expr
	for _, a := range args {
		if a.star != "**" && a.name == "" {
			if stars[len(list)] {
				list = append(list, starX{a.x.place(), a.x})
			} else {
				list = append(list, a.x)
			}
		}
	}
	return l.list(listX{l.at, '[', list})
}

func (l *lowerer) comparison(x cmpX) syntax.Expr {
	if len(x.ops) == 1 {
		return l.call("compare", l.str(x.ops[0]), l.expr(x.xs[0]), l.expr(x.xs[1]))
	}
	args := []syntax.Expr{l.expr(x.xs[0])}
	for i, op := range x.ops {
		args = append(args, l.str(op), l.expr(x.xs[i+1]))
	}
	return l.call("chain", args...)
}

func (l *lowerer) lambda(x lambdaX) syntax.Expr {
	params := l.params(x.params)
	inner := newScope(ofFunction, l.scope, x.params, nil)
	out := &syntax.LambdaExpr{Lambda: l.position(), Params: params}
	l.within(inner, func() { out.Body = l.expr(x.body) })
	return out
}

func (l *lowerer) list(x listX) syntax.Expr {
	at := l.position()
	starred := false
	var list []syntax.Expr
	for _, item := range x.items {
		if s, ok := item.(starX); ok {
			starred = true
			list = append(list, l.call("star", l.expr(s.x)))
		} else {
			list = append(list, l.expr(item))
		}
	}
	var out syntax.Expr = &syntax.ListExpr{Lbrack: at, List: list, Rbrack: at}
	if starred {
		out = l.call("splice", out)
	}
	switch {
	case x.bracket == '{':
		return l.call("set", out)
	case x.bracket == '(' && starred:
		return l.call("tuple", out)
	case x.bracket == '(':
		return &syntax.TupleExpr{Lparen: at, List: list, Rparen: at}
	}
	return out
}

func (l *lowerer) dict(x dictX) syntax.Expr {
	var args []syntax.Expr
	for i, key := range x.keys {
		if key == nil {
			args = append(args, l.call("star", l.expr(x.values[i])), l.ident("None"))
		} else {
			args = append(args, l.expr(key), l.expr(x.values[i]))
		}
	}
	return l.call("dict", args...)
}

func (l *lowerer) comprehension(x compX) syntax.Expr {
	at := l.position()
	inner := &scope{kind: ofComprehension, parent: l.scope, locals: map[string]bool{}}
	out := &syntax.Comprehension{Lbrack: at, Rbrack: at}
	for i, c := range x.clauses {
		if i == 1 {
			l.scope = inner
		}
		if c.target == nil {
			out.Clauses = append(out.Clauses, &syntax.IfClause{If: at, Cond: l.expr(c.x)})
			continue
		}
		over := l.call("iter", l.expr(c.x))
		inner.bind(c.target)
		out.Clauses = append(out.Clauses, &syntax.ForClause{For: at, Vars: l.loopVars(c.target), In: at, X: over})
	}
	l.scope = inner
	switch {
	case x.value != nil:
		out.Curly = true
		out.Body = &syntax.DictEntry{Key: l.expr(x.item), Colon: at, Value: l.expr(x.value)}
	default:
		out.Body = l.expr(x.item)
	}
	l.scope = inner.parent
	switch {
	case x.bracket == '{' && x.value == nil:
		return l.call("set", out)
	case x.bracket == '(':
		return l.call("generator", out)
	}
	return out
}

func (l *lowerer) loopVars(target expr) syntax.Expr {
	switch t := target.(type) {
	case nameX:
		return l.ident(t.id)
	case listX:
		out := &syntax.TupleExpr{Lparen: l.position(), Rparen: l.position()}
		for _, x := range t.items {
			out.List = append(out.List, l.loopVars(x))
		}
		return out
	}
	panic(syntaxErrorf(target.place(), "this Python takes only names in comprehensions"))
}

func (l *lowerer) format(parts []formatPart) syntax.Expr {
	var args []syntax.Expr
	for _, p := range parts {
		switch {
		case p.x == nil && p.text != "":
			args = append(args, l.str(p.text))
		case p.x != nil:
			args = append(args, l.call("formatted", l.expr(p.x), l.str(p.conv), l.format(p.spec)))
		}
	}
	return l.call("joined", args...)
}

// walrus assigns within an expression: a call, because Starlark has nothing like it.
func (l *lowerer) walrus(x walrusX) syntax.Expr {
	to, ok := l.target(x.name).(*syntax.IndexExpr)
	if !ok {
		panic(syntaxErrorf(x.pos, "this Python has no := here"))
	}
	return l.call("walrus", to.X, to.Y, l.expr(x.x))
}
