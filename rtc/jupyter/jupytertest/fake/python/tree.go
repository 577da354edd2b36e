package python

import "go.starlark.net/starlark"

// The tree of a cell, as Python has it. What Starlark has no form for is taken apart when the tree is lowered.

type expr interface{ place() pos }

func (p pos) place() pos { return p }

type (
	nameX struct {
		pos
		id string
	}
	constX struct {
		pos
		value starlark.Value
	}
	attrX struct {
		pos
		x    expr
		name string
	}
	indexX struct {
		pos
		x, index expr
	}
	// sliceX is what stands between the brackets; parts may be nil.
	sliceX struct {
		pos
		lo, hi, step expr
	}
	callX struct {
		pos
		fn   expr
		args []argument
	}
	unaryX struct {
		pos
		op string
		x  expr
	}
	binX struct {
		pos
		op   string
		x, y expr
	}
	// boolX is "and" and "or".
	boolX struct {
		pos
		op   string
		x, y expr
	}
	cmpX struct {
		pos
		xs  []expr
		ops []string
	}
	condX struct {
		pos
		cond, yes, no expr
	}

	lambdaX struct {
		pos
		params []parameter
		body   expr
	}
	// listX is a list, tuple or set, by its bracket.
	listX struct {
		pos
		bracket byte
		items   []expr
	}
	// dictX has a nil key where another dictionary is unpacked.
	dictX struct {
		pos
		keys, values []expr
	}
	// compX is a comprehension by its bracket, '(' for a generator; value is set for dictionaries.
	compX struct {
		pos
		bracket     byte
		item, value expr
		clauses     []clause
	}
	formatX struct {
		pos
		parts []formatPart
	}
	starX struct {
		pos
		x expr
	}
	yieldX struct {
		pos
		x    expr
		from bool
	}
	walrusX struct {
		pos
		name string
		x    expr
	}
)

// argument is one of a call; star is "", "*" or "**".
type argument struct {
	name, star string
	x          expr
}

// parameter is one of a function; star is "", "*" or "**", the name of a lone star is "".
type parameter struct {
	name, star string
	def        expr
}

// clause is "for target in x", or "if x" where target is nil.
type clause struct{ target, x expr }

// formatPart is a part of an f-string: text, or a value with its conversion and the parts of its format.
type formatPart struct {
	text string
	x    expr
	conv string
	spec []formatPart
}

type stmt interface{ place() pos }

type (
	exprS struct {
		pos
		x expr
	}
	assignS struct {
		pos
		targets []expr
		value   expr
	}
	augS struct {
		pos
		target expr
		op     string
		value  expr
	}
	delS struct {
		pos
		targets []expr
	}
	passS   struct{ pos }
	breakS  struct{ pos }
	nextS   struct{ pos }
	returnS struct {
		pos
		x expr
	}
	raiseS struct {
		pos
		x, cause expr
	}
	importS struct {
		pos
		names []alias
	}
	fromS struct {
		pos
		module string
		names  []alias
	}
	// scopeS is "global" or "nonlocal".
	scopeS struct {
		pos
		global bool
		names  []string
	}
	assertS struct {
		pos
		x, msg expr
	}
	ifS struct {
		pos
		cond    expr
		yes, no []stmt
	}
	whileS struct {
		pos
		cond       expr
		body, rest []stmt
	}
	forS struct {
		pos
		target, x  expr
		body, rest []stmt
	}
	defS struct {
		pos
		name       string
		params     []parameter
		body       []stmt
		decorators []expr
		end        int
	}
	classS struct {
		pos
		name       string
		bases      []argument
		body       []stmt
		decorators []expr
	}
	tryS struct {
		pos
		body        []stmt
		handlers    []handler
		rest, final []stmt
	}
	withS struct {
		pos
		items []withItem
		body  []stmt
	}
)

type alias struct{ name, as string }

type handler struct {
	pos
	types expr
	name  string
	body  []stmt
}

type withItem struct{ x, target expr }
