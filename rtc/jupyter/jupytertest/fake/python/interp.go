package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"go.starlark.net/starlark"
)

// Config says what process an interpreter pretends to be.
type Config struct {
	// Dir is the working folder.
	Dir string
	PID int
	// Env are the environment variables.
	Env map[string]string
}

// Interp is the interpreter of one kernel process. All methods but Interrupt are of one goroutine.
type Interp struct {
	config Config
	dir    string

	env     starlark.StringDict // the user's variables and, where they do not hide them, the builtins
	builtin starlark.StringDict
	user    []string // the names of the user's variables, in the order of assignment
	modules map[string]*module

	count    int
	previous string           // the cell that was counted last
	thread   *starlark.Thread // of the cell that runs
	ctx      context.Context  // of the cell that runs
	io       IO
	payload  []json.RawMessage
	exits    bool
	stopped  bool // by os._exit or a signal
	silent   bool
	result   starlark.Value
	handling []*instance // the exceptions that are being handled, the innermost last
	sources  map[string]*source
	displays int
	warned   bool // of SystemExit
	comms    int
	objects  int // given out as addresses
	figures  figures
	cell     string // the file of the cell that runs

	interrupts chan struct{}
	running    atomic.Pointer[starlark.Thread]
}

// source is the text of a cell, for tracebacks.
type source struct {
	label string // "In[3]"
	lines []string
	defs  map[string]defRange // by the name that the lowered function has
}

// defRange is where a function stands, and what it is called.
type defRange struct {
	first, last     int
	name, signature string
}

// New starts an interpreter.
func New(config Config) *Interp {
	in := &Interp{
		config: config, dir: config.Dir, env: starlark.StringDict{}, count: 1, modules: map[string]*module{}, sources: map[string]*source{},
		interrupts: make(chan struct{}, 1), ctx: context.Background(),
	}
	in.builtin = in.builtins()
	maps.Copy(in.env, in.builtin)
	for _, name := range []string{"__name__", "__doc__", "In", "Out", "_", "__", "___", "_i", "_ii", "_iii", "get_ipython", "exit", "quit", "open"} {
		switch name {
		case "__name__":
			in.set(name, starlark.String("__main__"))
		case "In":
			in.set(name, starlark.NewList([]starlark.Value{starlark.String("")}))
		case "Out":
			in.set(name, starlark.NewDict(0))
		case "get_ipython", "exit", "quit", "open":
			in.set(name, in.builtin[name])
		default:
			in.set(name, starlark.String(""))
		}
	}
	return in
}

// Count is the number that the next cell has. While a counted cell runs, its own number is one less.
func (in *Interp) Count() int { return in.count }

// Interrupt raises KeyboardInterrupt in the cell that runs, if one does. Any goroutine may call it.
func (in *Interp) Interrupt() {
	if t := in.running.Load(); t != nil {
		t.Cancel("interrupted")
		select {
		case in.interrupts <- struct{}{}:
		default:
		}
	}
}

// calm forgets an interrupt.
func (in *Interp) calm() {
	select {
	case <-in.interrupts:
	default:
	}
	in.thread.Uncancel()
}

// Run runs a cell. It ends early, as if the process were killed, when ctx ends.
func (in *Interp) Run(ctx context.Context, r Request, io IO) Outcome {
	in.thread = &starlark.Thread{Name: "cell"}
	in.ctx, in.io, in.silent, in.payload, in.exits, in.stopped, in.handling = ctx, io, r.Silent, nil, false, false, nil
	in.calm()
	in.running.Store(in.thread)
	thread := in.thread
	if r.Begins != nil {
		r.Begins()
	}
	stop := context.AfterFunc(ctx, func() { thread.Cancel("killed") })
	defer stop()
	defer in.running.Store(nil)

	label := sprintf("In[%d]", in.count)
	if r.StoreHistory && strings.TrimSpace(r.Code) != "" { // nothing is not counted
		in.remember(r.Code)
		in.count++
	}
	err := in.cellRun(r, label)
	if in.stopped || ctx.Err() != nil {
		return Outcome{Killed: true}
	}
	out := Outcome{}
	if err != nil {
		e := in.report(err)
		out.Error = &e
	}
	if flushErr := in.flushFigures(); flushErr != nil && err == nil {
		e := in.report(flushErr)
		out.Error = &e
	}
	out.Count = in.count - 1
	out.Expressions = map[string]json.RawMessage{}
	if out.Error == nil {
		for _, name := range slices.Sorted(maps.Keys(r.Expressions)) {
			out.Expressions[name] = in.userExpression(r.Expressions[name])
		}
	}
	out.Payload, out.Exits = in.payload, in.exits
	return out
}

// cellRun parses the cell and runs its statements one by one.
func (in *Interp) cellRun(r Request, label string) error {
	code := dedented(r.Code)
	in.cell = in.addSource(label, code)
	in.result = nil
	if name, line, body, ok := cellMagic(code); ok {
		return in.cellMagic(name, line, body)
	}
	value, err := in.exec(code, in.cell)
	if err != nil || value == nil || r.Silent {
		return err
	}
	return in.showResult(value)
}

func (in *Interp) addSource(label, code string) string {
	file := fmt.Sprintf("/tmp/ipykernel_%d/%d.py", in.config.PID, codeNumber(code))
	if !strings.HasPrefix(label, "In[") {
		file = label
	}
	in.sources[file] = &source{label: label, lines: strings.Split(code, "\n"), defs: map[string]defRange{}}
	return file
}

// exec runs a source and returns the value of its last expression, nil for none or one that a semicolon hides.
func (in *Interp) exec(code, file string) (starlark.Value, error) {
	body, quiet, err := parse(code)
	if err != nil {
		return nil, in.syntaxException(err, file)
	}
	l := &lowerer{file: file}
	var last starlark.Value
	for i, s := range body {
		last = nil
		x, isExpr := s.(exprS)
		if isExpr && i == len(body)-1 {
			last, err = in.value(l, x.x)
		} else {
			err = in.statement(l, s)
		}
		if err != nil {
			return nil, err
		}
	}
	if quiet {
		return nil, nil
	}
	return last, nil
}

// statement lowers and runs one statement.
func (in *Interp) statement(l *lowerer, s stmt) (err error) {
	defer (*parser)(nil).recoverInto(in, l.file, &err)
	program, err := starlark.FileProgram(l.program([]stmt{s}), func(string) bool { return true })
	if err != nil {
		return in.exceptionf("SyntaxError", "%s", err)
	}
	_, err = program.Init(in.thread, in.env)
	return err
}

// value evaluates an expression.
func (in *Interp) value(l *lowerer, x expr) (starlark.Value, error) {
	keep := callX{x.place(), nameX{x.place(), mark + "keep"}, []argument{{x: x}}}
	if err := in.statement(l, exprS{x.place(), keep}); err != nil {
		return nil, err
	}
	v := in.result
	in.result = nil
	return v, nil
}

// recoverInto makes the exception of a fault that lowering has found.
func (*parser) recoverInto(in *Interp, file string, err *error) {
	switch r := recover().(type) {
	case nil:
	case *syntaxError:
		*err = in.syntaxException(r, file)
	default:
		panic(r)
	}
}

// eval evaluates the source of an expression.
func (in *Interp) eval(code, file string) (starlark.Value, error) {
	in.sources[file] = &source{label: file, lines: strings.Split(code, "\n"), defs: map[string]defRange{}}
	x, err := parseExpr(strings.TrimSpace(code), pos{})
	if err != nil {
		return nil, in.syntaxException(err, file)
	}
	return in.value(&lowerer{file: file}, x)
}

func (in *Interp) userExpression(code string) json.RawMessage {
	v, err := in.eval(code, "<string>")
	var b bundle
	if err == nil {
		b, err = in.format(v)
	}
	if err != nil {
		e := in.exception(err)
		name, value := e.class.name, in.describe(e)
		line := red(name) + "\x1b[31m:\x1b[39m " + value + "\n"
		return object("status", "error", "traceback", []string{line}, "ename", name, "evalue", value)
	}
	return object("status", "ok", "data", b.data, "metadata", b.metadata)
}

// set gives a variable of the module a value.
func (in *Interp) set(name string, v starlark.Value) {
	if !slices.Contains(in.user, name) {
		in.user = append(in.user, name)
	}
	in.env[name] = v
}

// unset takes a variable of the module away and tells whether there was one.
func (in *Interp) unset(name string) bool {
	i := slices.Index(in.user, name)
	if i < 0 {
		return false
	}
	in.user = slices.Delete(in.user, i, i+1)
	delete(in.env, name)
	if b, ok := in.builtin[name]; ok {
		in.env[name] = b
	}
	return true
}

// remember keeps a cell for In and _i.
func (in *Interp) remember(code string) {
	if l, ok := in.env["In"].(*starlark.List); ok {
		_ = l.Append(starlark.String(code)) // fails only for a list that is iterated
	}
	in.set("_iii", in.env["_ii"])
	in.set("_ii", in.env["_i"])
	in.set("_i", starlark.String(in.previous))
	in.previous = code
	in.set(fmt.Sprintf("_i%d", in.count), starlark.String(code))
}

// showResult publishes the value of a cell, and keeps it for Out and _.
func (in *Interp) showResult(v starlark.Value) error {
	if v == starlark.None {
		return nil
	}
	b, err := in.format(v)
	if err != nil {
		return err
	}
	in.io.Flush("stdout")
	in.io.Flush("stderr")
	in.io.Result(b.data, b.metadata)
	in.set("___", in.env["__"])
	in.set("__", in.env["_"])
	in.set("_", v)
	in.set(fmt.Sprintf("_%d", in.count-1), v)
	if d, ok := in.env["Out"].(*starlark.Dict); ok {
		_ = d.SetKey(starlark.MakeInt(in.count-1), v) // fails only for a dictionary that is iterated
	}
	if b.failed {
		return errBrokenRepr
	}
	return nil
}

// errBrokenRepr ends a cell whose value's representation has failed and was shown already.
var errBrokenRepr = errors.New("python: a representation has failed")
