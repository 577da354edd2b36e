package cells

import (
	"strings"

	"go.starlark.net/starlark"
)

// builtins are the names that every cell has, in addition to Starlark's.
func builtins(p *process) starlark.StringDict {
	out := starlark.StringDict{
		"raise_": does("raise", "exception", raise),
		"magic_": does("magic", "line", func(a args) error { return p.magic(a.text(0)) }),
		"str":    gives("str", "object", func(a args) value { return starlark.String(str(a[0])) }),
		"repr":   gives("repr", "object", func(a args) value { return starlark.String(repr(a[0])) }),
		"print":  does("print", "* end file flush", p.print),
		"input":  function("input", "prompt", func(a args) (value, error) { return p.input(a.text(0), false) }),
		"open":   function("open", "file mode", func(a args) (value, error) { return p.open(a.text(0), a.text(1)) }),
		"exit":   does("exit", "", func(args) error { p.exits = true; return nil }),
		"type":   gives("type", "name bases dict", func(a args) value { return exceptionClass(a.text(0)) }),
		"globals": gives("globals", "", func(args) value {
			d := starlark.NewDict(0)
			for name, v := range p.users() {
				_ = d.SetKey(starlark.String(name), v) // a new dictionary accepts it
			}
			return d
		}),
		"get_ipython": gives("get_ipython", "", func(args) value {
			return &object{kind: "ZMQInteractiveShell", text: "<ipykernel.zmqshell.ZMQInteractiveShell>", attrs: starlark.StringDict{
				"execution_count": starlark.MakeInt(p.count),
				"set_next_input": does("set_next_input", "s replace", func(a args) error {
					p.payload = append(p.payload, fields{"source": "set_next_input", "text": a.text(0), "replace": a.truth(1)}.json())
					return nil
				}),
			}}
		}),
	}
	for _, name := range exceptions {
		out[name] = exceptionClass(name)
	}
	modules := modules(p)
	out["display"] = modules["IPython.display"].attrs["display"]
	out["import_"] = function("import", "name", func(a args) (value, error) {
		if m, ok := modules[a.text(0)]; ok {
			return m, nil
		}
		return nil, notUnderstood("import " + a.text(0))
	})
	out["__import__"] = out["import_"]
	return out
}

func (p *process) print(a args) error {
	if a[1] == starlark.None {
		a[1] = starlark.String("\n")
	}
	name := "stdout"
	if o, ok := a[2].(*object); ok && o.kind == "OutStream" {
		name = o.text
	} else if a[2] != starlark.None {
		return notUnderstood("print(file=" + a[2].Type() + ")")
	}
	p.io.Stream(name, joined(a[0].(starlark.Tuple), " ", str)+a.text(1))
	if a.truth(3) {
		p.io.Flush(name)
	}
	return nil
}

// magic runs a line that begins with "%" or "!" or ends with "?".
func (p *process) magic(line string) error {
	name, rest, _ := strings.Cut(line, " ")
	list, formats := strings.CutPrefix(line, "%config InlineBackend.figure_formats = ")
	function, isFunction := p.globals[strings.TrimSuffix(line, "?")].(*starlark.Function)
	switch {
	case name == "%matplotlib":
	case formats:
		p.formats = strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune("[', ]", r) })
	case name == "%who":
		p.io.Stream("stdout", strings.Join(p.users().Keys(), "\t ")+"\n")
	case isFunction:
		about := fields{"text/plain": red("Docstring:") + " " + function.Doc()}
		p.payload = append(p.payload, fields{"source": "page", "data": about, "start": 0}.json())
	case name == "!echo":
		p.io.Stream("stdout", strings.Trim(rest, `'"`)+"\r\n") // written through a terminal
		p.io.Flush("stdout")
	default:
		return notUnderstood(line)
	}
	return nil
}
