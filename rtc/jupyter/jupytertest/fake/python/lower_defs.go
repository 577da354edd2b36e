package python

import (
	"strconv"

	"go.starlark.net/syntax"
)

// def lowers a function, and the assignment of it to its name.
func (l *lowerer) def(s defS) []syntax.Stmt {
	l.n++
	made := s.name + mark + strconv.Itoa(l.n)
	params := l.params(s.params)
	inner := newScope(ofFunction, l.scope, s.params, s.body)
	if l.scope.kind == ofClass {
		inner.class = l.scope.class
	}
	if boxed(s.body) {
		inner.box = l.name("box")
	}
	at := l.position()
	var body []syntax.Stmt
	l.within(inner, func() {
		if e, ok := first(s.body).(exprS); ok {
			if c, ok := e.x.(constX); ok && isString(c.value) { // Starlark finds the documentation there
				body = append(body, &syntax.ExprStmt{X: l.expr(c)})
			}
		}
		body = append(body, l.prologue(inner)...)
		body = append(body, l.body(s.body)...)
		if inner.generator {
			body = append(body, l.ret(returnS{pos: s.pos})...)
		}
	})
	l.at = s.pos
	out := []syntax.Stmt{
		&syntax.DefStmt{Def: at, Name: l.ident(made), Lparen: at, Params: params, Rparen: at, Body: body},
	}
	var value syntax.Expr = l.call("defined", l.ident(made), l.int(s.line), l.int(s.end), l.str(qualified(l.scope, s.name)))
	for i := len(s.decorators) - 1; i >= 0; i-- {
		value = l.apply(l.expr(s.decorators[i]), value)
	}
	return append(out, l.set(l.target(s.name), value))
}

func qualified(s *scope, name string) string {
	if s.kind == ofClass {
		return s.class + "." + name
	}
	return name
}

func first(body []stmt) stmt {
	if len(body) == 0 {
		return nil
	}
	return body[0]
}

// prologue bounds the depth of calls, makes the box of a function, puts the parameters into it, and makes the list of
// what it yields.
func (l *lowerer) prologue(s *scope) []syntax.Stmt {
	out := l.do(l.call("enter"))
	if s.generator {
		out = append(out, l.set(l.ident(mark+"y"), &syntax.ListExpr{Lbrack: l.position(), Rbrack: l.position()}))
	}
	if s.box == "" {
		return out
	}
	out = append(out, l.set(l.ident(s.box), &syntax.DictExpr{Lbrace: l.position(), Rbrace: l.position()}))
	for _, p := range l.paramNames {
		out = append(out, l.set(l.boxed(s.box, p), l.ident(p)))
	}
	return out
}

// within lowers something in a scope of its own.
func (l *lowerer) within(s *scope, fn func()) {
	outer, suite, loops := l.scope, l.suite, l.loops
	l.scope, l.suite, l.loops = s, false, nil
	fn()
	l.scope, l.suite, l.loops = outer, suite, loops
}

// params lowers the parameters of a function; their defaults are of the scope around.
func (l *lowerer) params(params []parameter) []syntax.Expr {
	l.paramNames = nil
	var out []syntax.Expr
	for _, p := range params {
		if p.name != "" {
			l.paramNames = append(l.paramNames, p.name)
		}
		switch {
		case p.star == "**":
			out = append(out, &syntax.UnaryExpr{OpPos: l.position(), Op: syntax.STARSTAR, X: l.ident(p.name)})
		case p.star == "*":
			star := &syntax.UnaryExpr{OpPos: l.position(), Op: syntax.STAR}
			if p.name != "" {
				star.X = l.ident(p.name)
			}
			out = append(out, star)
		case p.def != nil:
			names := l.paramNames // a lambda in the default has its own
			out = append(out, &syntax.BinaryExpr{X: l.ident(p.name), OpPos: l.position(), Op: syntax.EQ, Y: l.expr(p.def)})
			l.paramNames = names
		default:
			out = append(out, l.ident(p.name))
		}
	}
	return out
}

// part makes a function of a part of a body; it has the scope of the body.
func (l *lowerer) part(name string, params []string, body func() []syntax.Stmt) syntax.Stmt {
	suite, loops := l.suite, l.loops
	l.suite, l.loops = true, nil
	at := l.position()
	d := &syntax.DefStmt{Def: at, Name: l.ident(name), Lparen: at, Rparen: at, Body: body()}
	for _, p := range params {
		d.Params = append(d.Params, l.ident(p))
	}
	l.suite, l.loops = suite, loops
	return d
}

// after does what a part asks for: return, break or continue.
func (l *lowerer) after(result string) []syntax.Stmt {
	var out []syntax.Stmt
	when := func(what string, do ...syntax.Stmt) {
		out = append(out, &syntax.IfStmt{If: l.position(), Cond: l.call("asks", l.ident(result), l.str(what)), True: do})
	}
	switch {
	case l.suite:
		when("return", &syntax.ReturnStmt{Return: l.position(), Result: l.ident(result)})
	case l.function() != nil && l.scope.kind != ofClass:
		when("return", &syntax.ReturnStmt{Return: l.position(), Result: l.call("returned", l.ident(result))})
	}
	if l.suite || len(l.loops) > 0 {
		when("break", l.jump(syntax.BREAK)...)
		when("continue", l.jump(syntax.CONTINUE)...)
	}
	return out
}

func (l *lowerer) try(s tryS) []syntax.Stmt {
	none := func(body []stmt, name string) (syntax.Stmt, syntax.Expr) {
		if body == nil {
			return nil, l.ident("None")
		}
		fn := l.name(name)
		return l.part(fn, nil, func() []syntax.Stmt { return l.body(body) }), l.ident(fn)
	}
	var out []syntax.Stmt
	tried, body := none(s.body, "try")
	out = append(out, tried)
	handlers := &syntax.ListExpr{Lbrack: l.position(), Rbrack: l.position()}
	for _, h := range s.handlers {
		l.at = h.pos
		fn := l.name("except")
		caught := l.name("caught")
		out = append(out, l.part(fn, []string{caught}, func() []syntax.Stmt {
			var head []syntax.Stmt
			if h.name != "" {
				head = append(head, l.set(l.target(h.name), l.ident(caught)))
			}
			out := append(head, l.body(h.body)...)
			if h.name != "" {
				out = append(out, l.do(l.drop(h.name))...)
			}
			return out
		}))
		handlers.List = append(handlers.List, l.thunk(h.types), l.ident(fn))
	}
	rest, otherwise := none(s.rest, "else")
	final, finally := none(s.final, "finally")
	for _, part := range []syntax.Stmt{rest, final} {
		if part != nil {
			out = append(out, part)
		}
	}
	l.at = s.pos
	result := l.name("result")
	out = append(out, l.set(l.ident(result), l.call("try", body, handlers, otherwise, finally)))
	return append(out, l.after(result)...)
}

// drop takes away the name of an exception that was handled.
func (l *lowerer) drop(name string) syntax.Expr {
	if to, ok := l.target(name).(*syntax.IndexExpr); ok {
		return l.call("drop", to.X, to.Y)
	}
	return l.ident("None")
}

func (l *lowerer) with(at pos, managers []withItem, body []stmt) []syntax.Stmt {
	if len(managers) == 0 {
		return l.body(body)
	}
	fn, value := l.name("with"), l.name("entered")
	part := l.part(fn, []string{value}, func() []syntax.Stmt {
		var head []syntax.Stmt
		if t := managers[0].target; t != nil {
			head = l.assign(t, l.ident(value))
		}
		return append(head, l.with(at, managers[1:], body)...)
	})
	l.at = at
	result := l.name("result")
	out := []syntax.Stmt{part, l.set(l.ident(result), l.call("with", l.expr(managers[0].x), l.ident(fn)))}
	return append(out, l.after(result)...)
}

func (l *lowerer) class(s classS) []syntax.Stmt {
	fn := l.name("class")
	inner := newScope(ofClass, l.scope, nil, s.body)
	inner.box, inner.class = l.name("members"), s.name
	at := l.position()
	d := &syntax.DefStmt{Def: at, Name: l.ident(fn), Lparen: at, Params: []syntax.Expr{l.ident(inner.box)}, Rparen: at}
	l.within(inner, func() { d.Body = l.body(s.body) })
	l.at = s.pos
	bases := &syntax.TupleExpr{Lparen: at, Rparen: at}
	for _, b := range s.bases {
		if b.name == "" {
			bases.List = append(bases.List, l.expr(b.x))
		}
	}
	var value syntax.Expr = l.call("class", l.str(s.name), bases, l.ident(fn))
	for i := len(s.decorators) - 1; i >= 0; i-- {
		value = l.apply(l.expr(s.decorators[i]), value)
	}
	return []syntax.Stmt{d, l.set(l.target(s.name), value)}
}
