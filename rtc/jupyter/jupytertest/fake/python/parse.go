package python

import "slices"

// parser makes a tree of tokens.
type parser struct {
	tokens []token
	at     int
	loops  int
	defs   int // functions around
	last   int // line of the last token taken
}

// parse reads a whole cell; quiet tells that a semicolon ends it.
func parse(src string) (body []stmt, quiet bool, err error) {
	tokens, err := tokenize(src)
	if err != nil {
		return nil, false, err
	}
	p := &parser{tokens: tokens}
	defer p.recover(&err)
	for p.peek().kind != tokEnd {
		if p.peek().kind == tokIndent {
			panic(&syntaxError{kind: "IndentationError", msg: "unexpected indent", pos: p.peek().pos})
		}
		body = append(body, p.statement()...)
	}
	for _, t := range slices.Backward(tokens) {
		if t.kind != tokEnd && t.kind != tokNewline && t.kind != tokDedent {
			quiet = t.kind == tokOp && t.text == ";"
			break
		}
	}
	return body, quiet, nil
}

// parseExpr reads one expression, such as that of an f-string.
func parseExpr(src string, at pos) (x expr, err error) {
	tokens, err := tokenize(src)
	if err != nil {
		return nil, err
	}
	for i := range tokens {
		if at.line > 0 {
			tokens[i].pos = at
		}
	}
	p := &parser{tokens: tokens}
	defer p.recover(&err)
	x = p.exprList()
	for p.peek().kind == tokNewline {
		p.next()
	}
	if p.peek().kind != tokEnd {
		p.fail("invalid syntax")
	}
	return x, nil
}

// recover makes the error that a panic of the parser means.
func (p *parser) recover(err *error) {
	switch r := recover().(type) {
	case nil:
	case *syntaxError:
		if t := p.peek(); t.kind == tokEnd && t.text != "" {
			r.msg = t.text
		}
		*err = r
	default:
		panic(r)
	}
}

func (p *parser) fail(format string, args ...any) {
	panic(syntaxErrorf(p.peek().pos, format, args...))
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	p.last = t.line
	return t
}

func (p *parser) isOp(op string) bool {
	t := p.peek()
	return t.kind == tokOp && t.text == op
}

func (p *parser) isWord(word string) bool {
	t := p.peek()
	return t.kind == tokName && t.text == word
}

func (p *parser) op(op string) bool {
	if p.isOp(op) {
		p.next()
		return true
	}
	return false
}

func (p *parser) word(word string) bool {
	if p.isWord(word) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(op string) {
	if p.op(op) {
		return
	}
	if op == ":" {
		p.fail("expected ':'")
	}
	p.fail("invalid syntax")
}

func (p *parser) ident() string {
	t := p.peek()
	if t.kind != tokName || keywords[t.text] {
		p.fail("invalid syntax")
	}
	return p.next().text
}

var keywords = map[string]bool{}

func init() {
	for _, k := range []string{
		"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
		"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
		"while", "with", "yield",
	} {
		keywords[k] = true
	}
}

// statement reads a line of simple statements, or one compound statement.
func (p *parser) statement() []stmt {
	if t := p.peek(); t.kind == tokName {
		switch t.text {
		case "if", "while", "for", "def", "class", "try", "with":
			return []stmt{p.compound(t)}
		}
	}
	if p.isOp("@") {
		return []stmt{p.decorated()}
	}
	var out []stmt
	for {
		out = append(out, p.simple())
		semicolon := p.op(";")
		if p.peek().kind == tokNewline {
			p.next()
			return out
		}
		if !semicolon {
			p.fail("invalid syntax")
		}
	}
}

// suite reads the body of a compound statement; what names it in an error.
func (p *parser) suite(what string, line int) []stmt {
	p.expect(":")
	if p.peek().kind != tokNewline {
		return p.statement()
	}
	p.next()
	if p.peek().kind != tokIndent {
		panic(&syntaxError{
			kind: "IndentationError", msg: sprintf("expected an indented block after %s on line %d", what, line), pos: p.peek().pos,
		})
	}
	p.next()
	var out []stmt
	for p.peek().kind != tokDedent && p.peek().kind != tokEnd {
		if p.peek().kind == tokIndent {
			panic(&syntaxError{kind: "IndentationError", msg: "unexpected indent", pos: p.peek().pos})
		}
		out = append(out, p.statement()...)
	}
	if p.peek().kind == tokDedent {
		p.at++
	}
	return out
}

func (p *parser) compound(t token) stmt {
	p.next()
	switch t.text {
	case "if":
		return p.conditional(t, "'if' statement")
	case "while":
		s := whileS{pos: t.pos, cond: p.namedExpr()}
		s.body = p.loop("'while' statement", t.line)
		s.rest = p.otherwise()
		return s
	case "for":
		s := forS{pos: t.pos, target: p.targets()}
		if !p.word("in") {
			p.fail("invalid syntax")
		}
		s.x = p.exprList()
		s.body = p.loop("'for' statement", t.line)
		s.rest = p.otherwise()
		return s
	case "def":
		return p.function(t, nil)
	case "class":
		return p.class(t, nil)
	case "try":
		return p.try(t)
	default:
		return p.with(t)
	}
}

func (p *parser) loop(what string, line int) []stmt {
	p.loops++
	defer func() { p.loops-- }()
	return p.suite(what, line)
}

func (p *parser) otherwise() []stmt {
	if t := p.peek(); p.word("else") {
		return p.suite("'else' statement", t.line)
	}
	return nil
}

func (p *parser) conditional(t token, what string) stmt {
	s := ifS{pos: t.pos, cond: p.namedExpr()}
	s.yes = p.suite(what, t.line)
	if t := p.peek(); p.word("elif") {
		s.no = []stmt{p.conditional(t, "'elif' statement")}
	} else {
		s.no = p.otherwise()
	}
	return s
}

func (p *parser) decorated() stmt {
	var list []expr
	for p.op("@") {
		list = append(list, p.expr())
		if p.peek().kind != tokNewline {
			p.fail("invalid syntax")
		}
		p.next()
	}
	t := p.next()
	switch {
	case t.kind == tokName && t.text == "def":
		return p.function(t, list)
	case t.kind == tokName && t.text == "class":
		return p.class(t, list)
	}
	panic(syntaxErrorf(t.pos, "invalid syntax"))
}

func (p *parser) function(t token, decorators []expr) stmt {
	s := defS{pos: t.pos, name: p.ident(), decorators: decorators}
	p.expect("(")
	s.params = p.params(")")
	p.expect(")")
	if p.op("->") {
		p.expr()
	}
	loops := p.loops
	p.loops = 0
	p.defs++
	s.body = p.suite("function definition", t.line)
	p.defs--
	p.loops, s.end = loops, p.last
	return s
}

func (p *parser) params(end string) []parameter {
	var out []parameter
	for !p.isOp(end) {
		switch {
		case p.op("/"):
		case p.op("**"):
			out = append(out, parameter{star: "**", name: p.ident()})
		case p.op("*"):
			x := parameter{star: "*"}
			if !p.isOp(",") {
				x.name = p.ident()
			}
			out = append(out, x)
		default:
			x := parameter{name: p.ident()}
			if end == ")" && p.op(":") {
				p.expr()
			}
			if p.op("=") {
				x.def = p.expr()
			}
			out = append(out, x)
		}
		if !p.op(",") && !p.isOp(end) {
			p.fail("invalid syntax")
		}
	}
	return out
}

func (p *parser) class(t token, decorators []expr) stmt {
	s := classS{pos: t.pos, name: p.ident(), decorators: decorators}
	if p.op("(") {
		s.bases = p.arguments()
	}
	loops := p.loops
	p.loops = 0
	s.body = p.suite("class definition", t.line)
	p.loops = loops
	return s
}

func (p *parser) try(t token) stmt {
	s := tryS{pos: t.pos, body: p.suite("'try' statement", t.line)}
	for p.isWord("except") {
		t := p.next()
		h := handler{pos: t.pos}
		if !p.isOp(":") {
			h.types = p.expr()
			if p.word("as") {
				h.name = p.ident()
			}
		}
		h.body = p.suite("'except' statement", t.line)
		s.handlers = append(s.handlers, h)
	}
	if len(s.handlers) > 0 {
		s.rest = p.otherwise()
	}
	if t := p.peek(); p.word("finally") {
		s.final = p.suite("'finally' statement", t.line)
	} else if len(s.handlers) == 0 {
		p.fail("expected 'except' or 'finally' block")
	}
	return s
}

func (p *parser) with(t token) stmt {
	s := withS{pos: t.pos}
	for {
		item := withItem{x: p.expr()}
		if p.word("as") {
			item.target = p.target(p.orExpr())
		}
		s.items = append(s.items, item)
		if !p.op(",") {
			break
		}
	}
	s.body = p.suite("'with' statement", t.line)
	return s
}
