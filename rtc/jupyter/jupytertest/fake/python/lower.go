package python

import (
	"strconv"

	"go.starlark.net/syntax"
)

// mark begins the names that a program cannot write: of the functions that do what Starlark has no form for, and of
// what lowering adds. Behind it, a function's name has a number that keeps it apart from the variable.
const mark = "·"

// options are Starlark's with what Python has beside it.
var options = syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}

// lowerer makes Starlark's tree of Python's.
type lowerer struct {
	file  string
	n     int // of the names made
	scope *scope
	at    pos // of what is being lowered

	suite      bool     // in a part of a body that has become a function
	paramNames []string // of the function whose parameters were lowered last

	loops []string // the loops around, within that part: the variable that tells that one has ended by itself, or ""
}

// program lowers a statement of the module.
func (l *lowerer) program(body []stmt) *syntax.File {
	l.scope = &scope{kind: ofModule}
	return &syntax.File{Path: l.file, Stmts: l.body(body), Options: &options}
}

func (l *lowerer) name(what string) string {
	l.n++
	return mark + what + strconv.Itoa(l.n)
}

func (l *lowerer) position() syntax.Position {
	return syntax.MakePosition(&l.file, int32(max(l.at.line, 1)), int32(max(l.at.col, 1)))
}

func (l *lowerer) body(body []stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range body {
		l.at = s.place()
		out = append(out, l.stmt(s)...)
	}
	if len(out) == 0 {
		return []syntax.Stmt{&syntax.BranchStmt{Token: syntax.PASS, TokenPos: l.position()}}
	}
	return out
}

func (l *lowerer) stmt(s stmt) []syntax.Stmt {
	switch s := s.(type) {
	case exprS:
		return l.do(l.expr(s.x))
	case assignS:
		return l.assignment(s)
	case augS:
		return l.augmented(s)
	case delS:
		var out []syntax.Stmt
		for _, t := range s.targets {
			out = append(out, l.do(l.deletion(t))...)
		}
		return out
	case breakS:
		return l.jump(syntax.BREAK)
	case nextS:
		return l.jump(syntax.CONTINUE)
	case returnS:
		return l.ret(s)
	case raiseS:
		return l.do(l.call("raise", l.orNone(s.x), l.orNone(s.cause)))
	case importS, fromS:
		return l.imports(s)
	case assertS:
		l.at = s.pos
		fail := l.do(l.call("raise", l.call("failed", l.thunk(s.msg)), l.ident("None")))
		return []syntax.Stmt{&syntax.IfStmt{If: l.position(), Cond: l.not(l.expr(s.x)), True: fail}}
	case ifS:
		out := &syntax.IfStmt{If: l.position(), Cond: l.expr(s.cond), True: l.body(s.yes)}
		if s.no != nil {
			out.ElsePos = l.position()
			out.False = l.body(s.no)
		}
		return []syntax.Stmt{out}
	case whileS:
		return l.loop(s.rest, func() syntax.Stmt {
			return &syntax.WhileStmt{While: l.position(), Cond: l.expr(s.cond), Body: l.body(s.body)}
		})
	case forS:
		return l.loop(s.rest, func() syntax.Stmt { return l.forLoop(s) })
	case defS:
		return l.def(s)
	case classS:
		return l.class(s)
	case tryS:
		return l.try(s)
	case withS:
		return l.with(s.pos, s.items, s.body)
	}
	return []syntax.Stmt{&syntax.BranchStmt{Token: syntax.PASS, TokenPos: l.position()}} // pass, global
}

// do is an expression as a statement.
func (*lowerer) do(x syntax.Expr) []syntax.Stmt { return []syntax.Stmt{&syntax.ExprStmt{X: x}} }

func (l *lowerer) set(to, value syntax.Expr) syntax.Stmt {
	return &syntax.AssignStmt{OpPos: l.position(), Op: syntax.EQ, LHS: to, RHS: value}
}

func (l *lowerer) jump(token syntax.Token) []syntax.Stmt {
	if len(l.loops) == 0 { // in a part: whoever calls it jumps
		what := "break"
		if token == syntax.CONTINUE {
			what = "continue"
		}
		return []syntax.Stmt{&syntax.ReturnStmt{Return: l.position(), Result: l.call("jump", l.str(what))}}
	}
	out := []syntax.Stmt{&syntax.BranchStmt{Token: token, TokenPos: l.position()}}
	if ended := l.loops[len(l.loops)-1]; ended != "" && token == syntax.BREAK {
		out = append([]syntax.Stmt{l.set(l.ident(ended), l.ident("False"))}, out...)
	}
	return out
}

func (l *lowerer) ret(s returnS) []syntax.Stmt {
	value := l.orNone(s.x)
	if f := l.function(); f != nil && f.generator {
		value = l.call("generator", l.ident(mark+"y"))
	}
	if l.suite {
		value = l.call("return", value)
	}
	return []syntax.Stmt{&syntax.ReturnStmt{Return: l.position(), Result: value}}
}

// function is the scope of the function around, nil for none.
func (l *lowerer) function() *scope {
	for s := l.scope; s != nil; s = s.parent {
		if s.kind == ofFunction {
			return s
		}
	}
	return nil
}

// loop lowers a loop and what comes when it has ended by itself.
func (l *lowerer) loop(rest []stmt, loop func() syntax.Stmt) []syntax.Stmt {
	ended := ""
	if rest != nil {
		ended = l.name("ended")
	}
	l.loops = append(l.loops, ended)
	made := loop()
	l.loops = l.loops[:len(l.loops)-1]
	if rest == nil {
		return []syntax.Stmt{made}
	}
	return []syntax.Stmt{
		l.set(l.ident(ended), l.ident("True")), made,
		&syntax.IfStmt{If: l.position(), Cond: l.ident(ended), True: l.body(rest)},
	}
}

func (l *lowerer) forLoop(s forS) syntax.Stmt {
	at := l.position()
	x := l.call("iter", l.expr(s.x))
	if n, ok := s.target.(nameX); ok {
		return &syntax.ForStmt{For: at, Vars: l.target(n.id), X: x, Body: l.body(s.body)}
	}
	item := l.name("item")
	head := l.assign(s.target, l.ident(item))
	return &syntax.ForStmt{For: at, Vars: l.ident(item), X: x, Body: append(head, l.body(s.body)...)}
}

func (l *lowerer) imports(s stmt) []syntax.Stmt {
	var out []syntax.Stmt
	switch s := s.(type) {
	case importS:
		for _, a := range s.names {
			top := l.ident("True")
			if a.as != "" {
				top = l.ident("False")
			}
			out = append(out, l.set(l.target(a.bound()), l.call("import", l.str(a.name), top)))
		}
	case fromS:
		if s.names[0].name == "*" {
			return l.do(l.call("importall", l.str(s.module)))
		}
		for _, a := range s.names {
			out = append(out, l.set(l.target(a.bound()), l.call("from", l.str(s.module), l.str(a.name))))
		}
	}
	return out
}

// assignment lowers "a = b = value".
func (l *lowerer) assignment(s assignS) []syntax.Stmt {
	value := l.expr(s.value)
	if len(s.targets) == 1 {
		return l.assign(s.targets[0], value)
	}
	once := l.name("value")
	out := []syntax.Stmt{l.set(l.ident(once), value)}
	for _, t := range s.targets {
		out = append(out, l.assign(t, l.ident(once))...)
	}
	return out
}

// assign stores a value in a target.
func (l *lowerer) assign(target expr, value syntax.Expr) []syntax.Stmt {
	switch t := target.(type) {
	case nameX:
		return []syntax.Stmt{l.set(l.target(t.id), value)}
	case attrX:
		return l.do(l.call("setattr", l.expr(t.x), l.str(t.name), value))
	case indexX:
		return l.do(l.call("setitem", l.expr(t.x), l.expr(t.index), value))
	case listX:
		before, after := len(t.items), -1
		for i, x := range t.items {
			if _, ok := x.(starX); ok {
				before, after = i, len(t.items)-i-1
			}
		}
		parts := l.name("parts")
		out := []syntax.Stmt{l.set(l.ident(parts), l.call("unpack", value, l.int(before), l.int(after)))}
		for i, x := range t.items {
			if star, ok := x.(starX); ok {
				x = star.x
			}
			item := &syntax.IndexExpr{X: l.ident(parts), Lbrack: l.position(), Y: l.int(i), Rbrack: l.position()}
			out = append(out, l.assign(x, item)...)
		}
		return out
	}
	panic(syntaxErrorf(target.place(), "cannot assign to expression"))
}

func (l *lowerer) augmented(s augS) []syntax.Stmt {
	value := func(old syntax.Expr) syntax.Expr { return l.call("augment", l.str(s.op), old, l.expr(s.value)) }
	switch t := s.target.(type) {
	case attrX:
		return l.do(l.call("setattr", l.expr(t.x), l.str(t.name), value(l.expr(t))))
	case indexX:
		return l.do(l.call("setitem", l.expr(t.x), l.expr(t.index), value(l.expr(t))))
	}
	return l.assign(s.target, value(l.expr(s.target)))
}

func (l *lowerer) deletion(target expr) syntax.Expr {
	switch t := target.(type) {
	case attrX:
		return l.call("delattr", l.expr(t.x), l.str(t.name))
	case indexX:
		return l.call("delitem", l.expr(t.x), l.expr(t.index))
	case nameX:
		if s := l.scope; s.box != "" && s.locals[t.id] {
			return l.call("forget", l.ident(s.box), l.str(t.id))
		}
		return l.call("delete", l.str(t.id))
	}
	panic(syntaxErrorf(target.place(), "cannot delete expression"))
}
