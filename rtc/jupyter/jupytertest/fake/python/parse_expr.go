package python

import (
	"strings"

	"go.starlark.net/starlark"
)

// exprList reads an expression, or a tuple without brackets.
func (p *parser) exprList() expr {
	at := p.peek().pos
	x := p.starred()
	if !p.isOp(",") {
		return x
	}
	list := []expr{x}
	for p.op(",") {
		if p.ends() || p.isOp("=") || p.isOp(")") || p.isOp("]") || p.isOp("}") || p.isOp(":") {
			break
		}
		list = append(list, p.starred())
	}
	return listX{at, '(', list}
}

func (p *parser) starred() expr {
	if t := p.peek(); p.op("*") {
		return starX{t.pos, p.orExpr()}
	}
	return p.namedExpr()
}

// namedExpr reads an expression that may be "name := value".
func (p *parser) namedExpr() expr {
	x := p.expr()
	if n, ok := x.(nameX); ok && p.op(":=") {
		return walrusX{n.pos, n.id, p.expr()}
	}
	return x
}

func (p *parser) expr() expr {
	t := p.peek()
	switch {
	case p.word("lambda"):
		params := p.params(":")
		p.expect(":")
		return lambdaX{t.pos, params, p.expr()}
	case p.word("yield"):
		if p.word("from") {
			return yieldX{t.pos, p.expr(), true}
		}
		if p.ends() || p.isOp(")") {
			return yieldX{t.pos, constX{t.pos, starlark.None}, false}
		}
		return yieldX{t.pos, p.exprList(), false}
	case p.word("await"):
		p.expr()
		panic(syntaxErrorf(t.pos, "this Python has no await"))
	}
	x := p.or()
	if !p.word("if") {
		return x
	}
	cond := p.or()
	if !p.word("else") {
		if p.ends() {
			p.fail("invalid syntax")
		}
		p.fail("expected 'else' after 'if' expression")
	}
	return condX{x.place(), cond, x, p.expr()}
}

func (p *parser) or() expr {
	x := p.and()
	for p.word("or") {
		x = boolX{x.place(), "or", x, p.and()}
	}
	return x
}

func (p *parser) and() expr {
	x := p.not()
	for p.word("and") {
		x = boolX{x.place(), "and", x, p.not()}
	}
	return x
}

func (p *parser) not() expr {
	if t := p.peek(); p.word("not") {
		return unaryX{t.pos, "not", p.not()}
	}
	return p.comparison()
}

func (p *parser) comparison() expr {
	x := p.orExpr()
	c := cmpX{pos: x.place(), xs: []expr{x}}
	for {
		op := p.comparator()
		if op == "" {
			break
		}
		c.ops = append(c.ops, op)
		c.xs = append(c.xs, p.orExpr())
	}
	if len(c.ops) == 0 {
		return x
	}
	return c
}

func (p *parser) comparator() string {
	t := p.peek()
	switch {
	case t.kind == tokOp && strings.Contains(" < > == >= <= != ", " "+t.text+" "):
		return p.next().text
	case p.word("in"):
		return "in"
	case p.word("is"):
		if p.word("not") {
			return "is not"
		}
		return "is"
	case p.isWord("not") && p.tokens[p.at+1].text == "in":
		p.next()
		p.next()
		return "not in"
	}
	return ""
}

// binaryLevels are the operators of two values, the weakest first.
var binaryLevels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}

func (p *parser) orExpr() expr { return p.level(0) }

func (p *parser) level(n int) expr {
	if n == len(binaryLevels) {
		return p.unary()
	}
	x := p.level(n + 1)
	for {
		t, found := p.peek(), false
		for _, op := range binaryLevels[n] {
			found = found || t.kind == tokOp && t.text == op
		}
		if !found {
			return x
		}
		p.next()
		x = binX{x.place(), t.text, x, p.level(n + 1)}
	}
}

func (p *parser) unary() expr {
	t := p.peek()
	if t.kind == tokOp && (t.text == "-" || t.text == "+" || t.text == "~") {
		p.next()
		return unaryX{t.pos, t.text, p.unary()}
	}
	x := p.primary()
	if p.op("**") {
		return binX{x.place(), "**", x, p.unary()}
	}
	return x
}

func (p *parser) primary() expr {
	x := p.atom()
	for {
		switch {
		case p.op("."):
			x = attrX{x.place(), x, p.ident()}
		case p.op("("):
			x = callX{x.place(), x, p.arguments()}
		case p.op("["):
			x = indexX{x.place(), x, p.subscript()}
		default:
			return x
		}
	}
}

// arguments reads those of a call, and its end.
func (p *parser) arguments() []argument {
	var out []argument
	for !p.op(")") {
		switch {
		case p.op("**"):
			out = append(out, argument{star: "**", x: p.expr()})
		case p.op("*"):
			out = append(out, argument{star: "*", x: p.expr()})
		default:
			out = append(out, p.argument())
		}
		if !p.op(",") && !p.isOp(")") {
			p.fail("invalid syntax. Perhaps you forgot a comma?")
		}
	}
	return out
}

func (p *parser) argument() argument {
	x := p.namedExpr()
	if n, ok := x.(nameX); ok && p.op("=") {
		return argument{name: n.id, x: p.expr()}
	}
	if p.isWord("for") {
		return argument{x: compX{pos: x.place(), bracket: '(', item: x, clauses: p.clauses()}}
	}
	return argument{x: x}
}

func (p *parser) subscript() expr {
	at := p.peek().pos
	var list []expr
	comma := false
	for !p.isOp("]") {
		list = append(list, p.slice())
		if !p.op(",") {
			break
		}
		comma = true
	}
	p.expect("]")
	if len(list) == 0 {
		panic(syntaxErrorf(at, "invalid syntax"))
	}
	if len(list) == 1 && !comma {
		return list[0]
	}
	return listX{at, '(', list}
}

func (p *parser) slice() expr {
	s := sliceX{pos: p.peek().pos}
	var x expr
	if !p.isOp(":") {
		x = p.namedExpr()
	}
	if !p.op(":") {
		return x
	}
	s.lo = x
	if !p.isOp(":") && !p.isOp("]") && !p.isOp(",") {
		s.hi = p.expr()
	}
	if p.op(":") && !p.isOp("]") && !p.isOp(",") {
		s.step = p.expr()
	}
	return s
}

func (p *parser) clauses() []clause {
	var out []clause
	for {
		switch {
		case p.word("for"):
			c := clause{target: p.targets()}
			if !p.word("in") {
				p.fail("invalid syntax")
			}
			c.x = p.or()
			out = append(out, c)
		case p.word("if"):
			out = append(out, clause{x: p.or()})
		default:
			return out
		}
	}
}
