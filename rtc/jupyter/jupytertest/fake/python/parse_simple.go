package python

import (
	"fmt"
	"slices"
	"strings"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// simple reads a statement that has no body.
func (p *parser) simple() stmt {
	t := p.peek()
	if t.kind != tokName {
		return p.exprStatement()
	}
	switch t.text {
	case "pass":
		p.next()
		return passS{t.pos}
	case "break", "continue":
		return p.jump(t)
	case "return":
		p.next()
		if p.defs == 0 {
			panic(syntaxErrorf(t.pos, "'return' outside function"))
		}
		return returnS{t.pos, p.optional()}
	case "raise":
		p.next()
		s := raiseS{pos: t.pos, x: p.optional()}
		if p.word("from") {
			s.cause = p.expr()
		}
		return s
	case "import":
		p.next()
		return importS{t.pos, p.aliases(true)}
	case "from":
		return p.from()
	case "global", "nonlocal":
		p.next()
		s := scopeS{pos: t.pos, global: t.text == "global"}
		for _, a := range p.aliases(false) {
			s.names = append(s.names, a.name)
		}
		return s
	case "assert":
		p.next()
		s := assertS{pos: t.pos, x: p.expr()}
		if p.op(",") {
			s.msg = p.expr()
		}
		return s
	case "del":
		p.next()
		return delS{t.pos, items(p.target(p.exprList()))}
	}
	return p.exprStatement()
}

func (p *parser) jump(t token) stmt {
	p.next()
	if p.loops == 0 && t.text == "break" {
		panic(syntaxErrorf(t.pos, "'break' outside loop"))
	}
	if p.loops == 0 {
		panic(syntaxErrorf(t.pos, "'continue' not properly in loop"))
	}
	if t.text == "break" {
		return breakS{t.pos}
	}
	return nextS{t.pos}
}

// ends tells whether a simple statement ends here.
func (p *parser) ends() bool {
	return p.peek().kind == tokNewline || p.isOp(";") || p.peek().kind == tokEnd
}

func (p *parser) optional() expr {
	if p.ends() || p.isWord("from") {
		return nil
	}
	return p.exprList()
}

func (p *parser) aliases(as bool) []alias {
	var out []alias
	for {
		a := alias{name: p.ident()}
		for p.op(".") {
			a.name += "." + p.ident()
		}
		if as && p.word("as") {
			a.as = p.ident()
		}
		out = append(out, a)
		if !p.op(",") || p.isOp(")") {
			return out
		}
	}
}

func (p *parser) from() stmt {
	s := fromS{pos: p.next().pos}
	for p.op(".") {
		s.module += "."
	}
	if !p.isWord("import") {
		s.module += p.aliases(false)[0].name
	}
	if !p.word("import") {
		p.fail("invalid syntax")
	}
	switch {
	case p.op("*"):
		s.names = []alias{{name: "*"}}
	case p.op("("):
		s.names = p.aliases(true)
		p.expect(")")
	default:
		s.names = p.aliases(true)
	}
	return s
}

// exprStatement reads an expression, or an assignment.
func (p *parser) exprStatement() stmt {
	at := p.peek().pos
	x := p.exprList()
	t := p.peek()
	if t.kind != tokOp {
		return exprS{at, x}
	}
	switch {
	case t.text == "=":
		s := assignS{pos: at}
		for p.op("=") {
			s.targets = append(s.targets, p.target(x))
			x = p.exprList()
		}
		s.value = x
		return s
	case t.text == ":":
		p.next()
		p.expr()
		if p.op("=") {
			return assignS{at, []expr{p.target(x)}, p.exprList()}
		}
		return passS{at}
	case len(t.text) > 1 && strings.HasSuffix(t.text, "=") && !slices.Contains([]string{"==", "!=", "<=", ">=", ":="}, t.text):
		p.next()
		return augS{at, p.target(x), strings.TrimSuffix(t.text, "="), p.exprList()}
	}
	return exprS{at, x}
}

// target checks that an expression can be assigned to.
func (p *parser) target(x expr) expr {
	const hint = " here. Maybe you meant '==' instead of '='?"
	switch t := x.(type) {
	case nameX, attrX, indexX:
	case starX:
		p.target(t.x)
	case listX:
		for _, item := range t.items {
			p.target(item)
		}
	case constX, formatX:
		panic(syntaxErrorf(x.place(), "cannot assign to literal%s", hint))
	case callX:
		panic(syntaxErrorf(x.place(), "cannot assign to function call%s", hint))
	default:
		panic(syntaxErrorf(x.place(), "cannot assign to expression%s", hint))
	}
	return x
}

// items are the parts of a target: those of a tuple, or itself.
func items(x expr) []expr {
	if l, ok := x.(listX); ok {
		return l.items
	}
	return []expr{x}
}

// targets reads what a loop assigns to.
func (p *parser) targets() expr {
	at := p.peek().pos
	var list []expr
	comma := false
	for !p.isWord("in") {
		if t := p.peek(); p.op("*") {
			list = append(list, starX{t.pos, p.orExpr()})
		} else {
			list = append(list, p.orExpr())
		}
		if !p.op(",") {
			break
		}
		comma = true
	}
	if len(list) == 0 {
		p.fail("invalid syntax")
	}
	if len(list) == 1 && !comma {
		return p.target(list[0])
	}
	return p.target(listX{at, '(', list})
}
