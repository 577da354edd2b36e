package python

// scopeKind says what a scope is of.
type scopeKind int

const (
	ofModule scopeKind = iota
	ofFunction
	ofClass
	ofComprehension
)

// scope says where the names of a part of the source live. Those of the module are in the interpreter's variables,
// those of a function are Starlark's own locals, unless parts of the function become functions of their own (bodies of
// try and with): then they are in a dictionary, the box, which all of the parts share.
type scope struct {
	kind      scopeKind
	parent    *scope
	locals    map[string]bool
	globals   map[string]bool
	nonlocals map[string]bool
	box       string // the variable of the dictionary, "" for none; of a class always
	class     string // the class that a method is of
	first     string // the first parameter of a function
	generator bool
}

// newScope reads which names a function's or a class's body assigns to.
func newScope(kind scopeKind, parent *scope, params []parameter, body []stmt) *scope {
	s := &scope{kind: kind, parent: parent, locals: map[string]bool{}, globals: map[string]bool{}, nonlocals: map[string]bool{}}
	for i, p := range params {
		if p.name != "" {
			s.locals[p.name] = true
		}
		if i == 0 {
			s.first = p.name
		}
	}
	w := &walker{
		stmt: func(x stmt) {
			switch x := x.(type) {
			case assignS:
				for _, t := range x.targets {
					s.bind(t)
				}
			case augS:
				s.bind(x.target)
			case delS:
				for _, t := range x.targets {
					s.bind(t)
				}
			case forS:
				s.bind(x.target)
			case importS:
				for _, a := range x.names {
					s.locals[a.bound()] = true
				}
			case fromS:
				for _, a := range x.names {
					s.locals[a.bound()] = true
				}
			case defS:
				s.locals[x.name] = true
			case classS:
				s.locals[x.name] = true
			case tryS:
				for _, h := range x.handlers {
					if h.name != "" {
						s.locals[h.name] = true
					}
				}
			case withS:
				for _, item := range x.items {
					s.bind(item.target)
				}
			case scopeS:
				for _, name := range x.names {
					if x.global {
						s.globals[name] = true
					} else {
						s.nonlocals[name] = true
					}
				}
			}
		},
		expr: func(x expr) {
			switch x := x.(type) {
			case walrusX:
				s.locals[x.name] = true
			case yieldX:
				s.generator = true
			}
		},
	}
	w.body(body)
	for name := range s.globals {
		delete(s.locals, name)
	}
	for name := range s.nonlocals {
		delete(s.locals, name)
	}
	return s
}

func (a alias) bound() string {
	if a.as != "" {
		return a.as
	}
	for i, c := range a.name {
		if c == '.' {
			return a.name[:i]
		}
	}
	return a.name
}

// bind notes the names of a target.
func (s *scope) bind(target expr) {
	switch t := target.(type) {
	case nameX:
		s.locals[t.id] = true
	case starX:
		s.bind(t.x)
	case listX:
		for _, x := range t.items {
			s.bind(x)
		}
	}
}

// boxed tells whether the body has parts that become functions, or functions that assign to its names.
func boxed(body []stmt) bool {
	found := false
	w := &walker{deep: true}
	w.stmt = func(x stmt) {
		switch x := x.(type) {
		case tryS, withS:
			found = found || w.depth == 0
		case delS:
			for _, t := range x.targets {
				_, name := t.(nameX)
				found = found || name && w.depth == 0
			}
		case scopeS:
			found = found || !x.global && w.depth > 0
		}
	}
	w.expr = func(x expr) {
		if _, ok := x.(walrusX); ok {
			found = true
		}
	}
	w.body(body)
	return found
}

// walker visits the statements and expressions of a body; deep lets it enter functions and classes, at depths above 0.
type walker struct {
	stmt  func(stmt)
	expr  func(expr)
	deep  bool
	depth int
}

func (w *walker) body(body []stmt) {
	for _, s := range body {
		w.stmt(s)
		w.parts(s)
	}
}

func (w *walker) inner(body []stmt) {
	if w.deep {
		w.depth++
		w.body(body)
		w.depth--
	}
}

func (w *walker) parts(s stmt) {
	switch s := s.(type) {
	case exprS:
		w.exprs(s.x)
	case assignS:
		w.exprs(s.value)
	case augS:
		w.exprs(s.value)
	case returnS:
		w.exprs(s.x)
	case raiseS:
		w.exprs(s.x)
	case assertS:
		w.exprs(s.x, s.msg)
	case ifS:
		w.exprs(s.cond)
		w.body(s.yes)
		w.body(s.no)
	case whileS:
		w.exprs(s.cond)
		w.body(s.body)
		w.body(s.rest)
	case forS:
		w.exprs(s.x)
		w.body(s.body)
		w.body(s.rest)
	case defS:
		w.inner(s.body)
	case classS:
		w.inner(s.body)
	case tryS:
		w.body(s.body)
		for _, h := range s.handlers {
			w.body(h.body)
		}
		w.body(s.rest)
		w.body(s.final)
	case withS:
		for _, item := range s.items {
			w.exprs(item.x)
		}
		w.body(s.body)
	}
}

// exprs visits expressions and their parts, but not those of lambdas and comprehensions.
func (w *walker) exprs(list ...expr) {
	for _, x := range list {
		if x == nil || w.expr == nil {
			continue
		}
		w.expr(x)
		switch x := x.(type) {
		case attrX:
			w.exprs(x.x)
		case indexX:
			w.exprs(x.x, x.index)
		case callX:
			w.exprs(x.fn)
			for _, a := range x.args {
				w.exprs(a.x)
			}
		case unaryX:
			w.exprs(x.x)
		case binX:
			w.exprs(x.x, x.y)
		case boolX:
			w.exprs(x.x, x.y)
		case cmpX:
			w.exprs(x.xs...)
		case condX:
			w.exprs(x.cond, x.yes, x.no)
		case listX:
			w.exprs(x.items...)
		case dictX:
			w.exprs(x.keys...)
			w.exprs(x.values...)
		case starX:
			w.exprs(x.x)
		case yieldX:
			w.exprs(x.x)
		case walrusX:
			w.exprs(x.x)
		}
	}
}
