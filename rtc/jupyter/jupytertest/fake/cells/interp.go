package cells

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Interp is the interpreter of one kernel process. All methods except Interrupt must be called from one goroutine.
type Interp struct {
	*process
	sources map[string]*source                 // the cells' sources, by label
	running atomic.Pointer[context.CancelFunc] // interrupts the running cell
}

var dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}

// New starts an interpreter.
func New(config Config) *Interp {
	in := &Interp{process: &process{config: config, count: 1, formats: []string{"png"}}, sources: map[string]*source{}}
	in.given = builtins(in.process)
	in.globals = maps.Clone(in.given)
	return in
}

// Count returns the number of the next cell. While a counted cell runs, its own number is one less.
func (in *Interp) Count() int { return in.count }

// Interrupt raises KeyboardInterrupt in the running cell, if any. It may be called from any goroutine.
func (in *Interp) Interrupt() {
	if interrupt := in.running.Load(); interrupt != nil {
		(*interrupt)()
	}
}

// Run runs a cell. When ctx ends, it returns early, as if the process were killed.
func (in *Interp) Run(ctx context.Context, r Request, io IO) Outcome {
	inner, interrupt := context.WithCancel(ctx)
	defer interrupt()
	in.gil.Lock()
	defer in.gil.Unlock()
	in.life, in.ctx, in.io, in.latest, in.threaded = ctx, inner, io, io, false
	in.payload, in.exits, in.killed = nil, false, false
	in.running.Store(&interrupt)
	defer in.running.Store(nil)
	r.Begins()
	label := fmt.Sprintf("In[%d]", in.count)
	if r.StoreHistory && strings.TrimSpace(r.Code) != "" { // an empty cell is not counted
		in.count++
	}
	result, failed := in.exec(label, r.Code)
	if in.killed || ctx.Err() != nil {
		return Outcome{Killed: true}
	}
	out := Outcome{Error: failed, Count: in.count - 1, Expressions: map[string]json.RawMessage{}, Payload: in.payload, Exits: in.exits}
	if failed != nil {
		io.Error(*failed)
		return out
	}
	if result != starlark.None && !r.Silent {
		in.flush()
		b := shown(result)
		io.Result(b.data, b.metadata)
		in.globals["_"] = result
	}
	in.showFigure()
	for name, code := range r.Expressions {
		result, failed := in.exec("<string>", code)
		if failed != nil {
			last := red(failed.Name) + red(":") + " " + failed.Value + "\n"
			out.Expressions[name] = fields{"status": "error", "ename": failed.Name, "evalue": failed.Value, "traceback": []string{last}}.json()
			continue
		}
		b := shown(result)
		out.Expressions[name] = fields{"status": "ok", "data": b.data, "metadata": b.metadata}.json()
	}
	return out
}

// exec runs a cell, statement by statement, and returns the value of its last expression, or None without one or if a
// semicolon suppresses it.
func (in *Interp) exec(label, code string) (value, *Error) {
	s := &source{strings.Split(strings.TrimRight(code, "\n "), "\n"), map[string]*syntax.DefStmt{}}
	in.sources[label] = s
	f, err := dialect.Parse(label, rewritten(code), 0)
	var at syntax.Error
	if errors.As(err, &at) && wrong(code) {
		return nil, s.syntaxError(label, code, at.Pos)
	}
	if err != nil {
		return nil, in.fail(err, code)
	}
	thread := &starlark.Thread{Name: label}
	defer context.AfterFunc(in.ctx, func() { thread.Cancel("interrupted") })()
	for i, stmt := range f.Stmts {
		s.note(stmt)
		if x, ok := stmt.(*syntax.ExprStmt); ok && i == len(f.Stmts)-1 && !strings.HasSuffix(strings.TrimSpace(code), ";") {
			result, err := starlark.EvalExprOptions(dialect, thread, x.X, in.globals)
			return result, in.fail(err, code)
		}
		if err := starlark.ExecREPLChunk(&syntax.File{Path: label, Stmts: f.Stmts[i : i+1], Options: dialect}, thread, in.globals); err != nil {
			return nil, in.fail(err, code)
		}
	}
	return starlark.None, nil
}

// fail returns the message of an error, nil for none.
func (in *Interp) fail(err error, code string) *Error {
	if err == nil {
		return nil
	}
	f, unknown := translate(err)
	if f == nil {
		in.config.NotUnderstood(code, unknown)
		return &Error{"NotUnderstood", unknown, []string{}}
	}
	var stack starlark.CallStack
	var names resolve.ErrorList
	var at *starlark.EvalError
	if errors.As(err, &at) {
		stack = at.CallStack
	} else if errors.As(err, &names) {
		stack = starlark.CallStack{{Pos: names[0].Pos}}
	}
	return &Error{f.name, f.text, traceback(f, stack, in.sources)}
}
