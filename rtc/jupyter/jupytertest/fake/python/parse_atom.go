package python

import (
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

func (p *parser) atom() expr {
	t := p.next()
	switch t.kind {
	case tokName:
		return p.nameOrConstant(t)
	case tokNumber:
		return number(t)
	case tokString, tokBytes, tokFormat:
		return p.strings(t)
	case tokOp:
		switch t.text {
		case "(":
			return p.parens(t)
		case "[":
			return p.brackets(t)
		case "{":
			return p.braces(t)
		case "...":
			return constX{t.pos, ellipsis{}}
		}
	}
	panic(syntaxErrorf(t.pos, "invalid syntax"))
}

func (*parser) nameOrConstant(t token) expr {
	switch t.text {
	case "None":
		return constX{t.pos, starlark.None}
	case "True", "False":
		return constX{t.pos, starlark.Bool(t.text == "True")}
	}
	if keywords[t.text] {
		panic(syntaxErrorf(t.pos, "invalid syntax"))
	}
	return nameX{t.pos, t.text}
}

func number(t token) expr {
	if n, ok := new(big.Int).SetString(t.text, 0); ok && !(len(t.text) > 1 && t.text[0] == '0' && isDigit(rune(t.text[1]))) {
		return constX{t.pos, starlark.MakeBigInt(n)}
	}
	f, err := strconv.ParseFloat(t.text, 64)
	if err != nil && !strings.Contains(err.Error(), "range") {
		panic(syntaxErrorf(t.pos, "invalid decimal literal"))
	}
	return constX{t.pos, starlark.Float(f)}
}

// strings joins the literals that stand beside each other.
func (p *parser) strings(t token) expr {
	var text strings.Builder
	var parts []formatPart
	formatted, bytes := false, t.kind == tokBytes
	for at := t; ; at = p.next() {
		if at.kind == tokFormat {
			formatted = true
			parts = append(parts, formatPart{text: text.String()})
			text.Reset()
			parts = append(parts, formatParts(at)...)
		} else {
			text.WriteString(at.value)
		}
		if k := p.peek().kind; k != tokString && k != tokBytes && k != tokFormat {
			break
		}
	}
	switch {
	case formatted:
		return formatX{t.pos, append(parts, formatPart{text: text.String()})}
	case bytes:
		return constX{t.pos, starlark.Bytes(text.String())}
	}
	return constX{t.pos, starlark.String(text.String())}
}

func (p *parser) parens(t token) expr {
	if p.op(")") {
		return listX{t.pos, '(', nil}
	}
	x := p.exprList()
	if p.isWord("for") {
		x = compX{pos: t.pos, bracket: '(', item: x, clauses: p.clauses()}
	}
	p.expect(")")
	return x
}

func (p *parser) brackets(t token) expr {
	if p.op("]") {
		return listX{t.pos, '[', nil}
	}
	x := p.starred()
	if p.isWord("for") {
		x = compX{pos: t.pos, bracket: '[', item: x, clauses: p.clauses()}
		p.expect("]")
		return x
	}
	return listX{t.pos, '[', p.rest(x, "]")}
}

// rest reads the items of a list behind the first, and its end.
func (p *parser) rest(first expr, end string) []expr {
	list := []expr{first}
	for p.op(",") {
		if p.isOp(end) {
			break
		}
		list = append(list, p.starred())
	}
	if !p.op(end) {
		p.fail("invalid syntax. Perhaps you forgot a comma?")
	}
	return list
}

func (p *parser) braces(t token) expr {
	if p.op("}") {
		return dictX{pos: t.pos}
	}
	if !p.isOp("**") {
		x := p.starred()
		if !p.isOp(":") {
			if p.isWord("for") {
				x = compX{pos: t.pos, bracket: '{', item: x, clauses: p.clauses()}
				p.expect("}")
				return x
			}
			return listX{t.pos, '{', p.rest(x, "}")}
		}
		p.expect(":")
		value := p.expr()
		if p.isWord("for") {
			c := compX{pos: t.pos, bracket: '{', item: x, value: value, clauses: p.clauses()}
			p.expect("}")
			return c
		}
		return p.dict(dictX{t.pos, []expr{x}, []expr{value}})
	}
	return p.dict(dictX{pos: t.pos})
}

// dict reads the entries of a dictionary behind those that were read already, and its end.
func (p *parser) dict(d dictX) expr {
	more := len(d.keys) == 0 || p.op(",")
	for more && !p.isOp("}") {
		if p.op("**") {
			d.keys, d.values = append(d.keys, nil), append(d.values, p.expr())
		} else {
			key := p.expr()
			p.expect(":")
			d.keys, d.values = append(d.keys, key), append(d.values, p.expr())
		}
		more = p.op(",")
	}
	p.expect("}")
	return d
}
