package python

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

// shell is what get_ipython() returns.
type shell struct{ in *Interp }

func (shell) String() string {
	return "<ipykernel.zmqshell.ZMQInteractiveShell object at 0x7f8543df2c90>"
}
func (shell) Type() string          { return "ZMQInteractiveShell" }
func (shell) Freeze()               {}
func (shell) Truth() starlark.Bool  { return true }
func (shell) Hash() (uint32, error) { return 10, nil }

func (s shell) attr(in *Interp, name string) (starlark.Value, error) {
	switch name {
	case "execution_count":
		return starlark.MakeInt(in.count), nil
	case "user_ns":
		return in.variables(nil, nil, nil)
	case "set_next_input":
		return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			next := text(argumentOf(args, kwargs, 0, "s", starlark.String("")))
			replace := bool(argumentOf(args, kwargs, 1, "replace", starlark.False).Truth())
			in.addPayload("set_next_input", object("source", "set_next_input", "text", next, "replace", replace))
			return starlark.None, nil
		}), nil
	case "run_line_magic":
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) { return in.lineMagic(text(args[0]), text(args[1])) }), nil
	case "run_cell_magic":
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.cellMagic(text(args[0]), text(args[1]), text(args[2]))
		}), nil
	case "system":
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			in.system(text(args[0]), "\r\n")
			return starlark.None, nil
		}), nil
	case "run_cell":
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			_, err := in.exec(text(args[0]), in.addSource("<string>", text(args[0])))
			return starlark.None, err
		}), nil
	}
	return nil, nil
}

// addPayload adds to the reply's payload, in place of an earlier one of the same source.
func (in *Interp) addPayload(source string, p json.RawMessage) {
	in.payload = slices.DeleteFunc(in.payload, func(old json.RawMessage) bool {
		return strings.HasPrefix(string(old), `{"source": "`+source+`"`)
	})
	in.payload = append(in.payload, p)
}

func (in *Interp) page(text string) {
	in.addPayload("page", object("source", "page", "data", object("text/plain", text), "start", 0))
}

// displayPage is IPython's display_page, which a program may put in the place of the pager.
func (in *Interp) displayPage(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	in.publish(bundle{data: object("text/plain", text(args[0])), metadata: json.RawMessage("{}")}, "", false)
	return starlark.None, nil
}

// ignored are magics that have nothing to do here.
var ignored = []string{"matplotlib", "pylab", "load_ext", "reload_ext", "autoreload", "precision", "colors", "xmode", "alias", "pip", "conda"}

func (in *Interp) lineMagic(name, line string) (starlark.Value, error) {
	switch name {
	case "pinfo", "pinfo2":
		return starlark.None, in.info(line)
	case "who":
		in.who()
		return starlark.None, nil
	case "pwd":
		return starlark.String(in.dir), nil
	case "config":
		return starlark.None, in.configure(line)
	case "time":
		begun := time.Now()
		v, err := in.eval(line, "<timed exec>")
		if err == nil {
			in.io.Stream("stdout", cpuTimes(time.Since(begun)))
		}
		return v, err
	}
	if slices.Contains(ignored, name) {
		return starlark.None, nil
	}
	return nil, in.exceptionf("UsageError", "Line magic function `%%%s` not found.", name)
}

func cpuTimes(wall time.Duration) string {
	return fmt.Sprintf("CPU times: user 3 μs, sys: 1 μs, total: 4 μs\nWall time: %.3g μs\n", float64(max(wall, 5*time.Microsecond))/float64(time.Microsecond))
}

func (in *Interp) cellMagic(name, line, body string) error {
	switch name {
	case "capture":
		return in.capture(line, body)
	case "time":
		begun := time.Now()
		v, err := in.exec(body, in.addSource("In[0]", body))
		if err == nil {
			in.io.Stream("stdout", cpuTimes(time.Since(begun)))
			if v != nil && !in.silent {
				err = in.showResult(v)
			}
		}
		return err
	case "writefile":
		verb := "Writing"
		if _, err := os.Stat(in.absolute(line)); err == nil {
			verb = "Overwriting"
		}
		in.io.Stream("stdout", verb+" "+line+"\n")
		return in.fileError(os.WriteFile(in.absolute(line), []byte(strings.TrimSuffix(body, "\n")+"\n"), 0o644), line)
	case "html", "HTML", "markdown", "latex", "svg", "SVG", "javascript", "js":
		class := map[string]string{"html": "HTML", "markdown": "Markdown", "latex": "Latex", "svg": "SVG", "javascript": "Javascript", "js": "Javascript"}[name]
		if class == "" {
			class = name
		}
		constructor := in.displayModule()[class]
		v, err := starlark.Call(in.thread, constructor, starlark.Tuple{starlark.String(strings.TrimSuffix(body, "\n") + "\n")}, nil)
		if err != nil {
			return err
		}
		return in.show(starlark.Tuple{v}, nil, "", false)
	case "bash", "sh":
		in.system(body, "\n")
		return nil
	}
	return in.exceptionf("UsageError", "Cell magic `%%%%%s` not found.", name)
}

// info shows what is known about an object.
func (in *Interp) info(name string) error {
	about, found, err := in.about(name)
	switch {
	case err != nil:
		return err
	case found:
		in.page(about)
	default:
		in.io.Stream("stdout", "Object `"+name+"` not found.\n")
	}
	return nil
}

// about says what is known about the object of a dotted name.
func (in *Interp) about(name string) (about string, found bool, err error) {
	path := strings.Split(name, ".")
	v, found := in.env[path[0]]
	for _, part := range path[1:] {
		if found {
			if v, err = in.find(v, part); err != nil {
				return "", false, err
			}
			found = v != nil
		}
	}
	if !found || strings.HasPrefix(name, mark) {
		return "", false, nil
	}
	var lines []string
	say := func(what, s string) {
		lines = append(lines, red(what+":")+strings.Repeat(" ", max(1, 10-len(what)))+s)
	}
	fn, ok := v.(*starlark.Function)
	if !ok {
		s, err := in.repr(v)
		say("Type", in.typeName(v))
		say("String form", s)
		return strings.Join(lines, "\n"), true, err
	}
	d := in.definition(fn)
	say("Signature", d.name+d.signature)
	doc := fn.Doc()
	if doc == "" {
		doc = "<no docstring>"
	}
	say("Docstring", doc)
	say("File", fn.Position().Filename())
	say("Type", "function")
	return strings.Join(lines, "\n"), true, nil
}

func (in *Interp) who() {
	var names []string
	for _, name := range in.user {
		if !strings.HasPrefix(name, "_") && !slices.Contains([]string{"In", "Out", "get_ipython", "exit", "quit", "open"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		in.io.Stream("stdout", "Interactive namespace is empty.\n")
		return
	}
	var b strings.Builder
	for i, name := range names {
		b.WriteString(name + "\t ")
		if i%9 == 8 {
			b.WriteString("\n")
		}
	}
	in.io.Stream("stdout", b.String()+"\n")
}

// system does what "!" would do in a shell, as far as that is echo. Through a terminal, lines end with "\r\n".
func (in *Interp) system(line, end string) {
	for command := range strings.SplitSeq(strings.ReplaceAll(line, "\n", ";"), ";") {
		words := strings.Fields(command)
		if len(words) == 0 {
			continue
		}
		if words[0] != "echo" {
			in.io.Stream("stdout", "/bin/bash: line 1: "+words[0]+": command not found"+end)
			continue
		}
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, ">") })
		in.io.Stream("stdout", strings.NewReplacer("'", "", `"`, "").Replace(strings.Join(words, " "))+end)
	}
	in.io.Flush("stdout")
}

// captured is the output of a cell that %%capture has kept.
type captured struct {
	in   *Interp
	out  map[string]string
	show []func(IO)
}

func (*captured) String() string {
	return "<IPython.utils.capture.CapturedIO object at 0x7f8543df2c90>"
}
func (*captured) Type() string          { return "CapturedIO" }
func (*captured) Freeze()               {}
func (*captured) Truth() starlark.Bool  { return true }
func (*captured) Hash() (uint32, error) { return 11, nil }

func (c *captured) attr(in *Interp, name string) (starlark.Value, error) {
	switch name {
	case "stdout", "stderr":
		return starlark.String(c.out[name]), nil
	case "show":
		return plainFunc(name, func(starlark.Tuple) (starlark.Value, error) {
			for _, stream := range []string{"stdout", "stderr"} {
				if s := c.out[stream]; s != "" {
					in.io.Stream(stream, s)
					in.io.Flush(stream)
				}
			}
			for _, fn := range c.show {
				fn(in.io)
			}
			return starlark.None, nil
		}), nil
	}
	return nil, nil
}

// Stream keeps text.
func (c *captured) Stream(name, text string) { c.out[name] += text }

// Flush does nothing.
func (*captured) Flush(string) {}

// Display keeps a display.
func (c *captured) Display(d Display) { c.show = append(c.show, func(io IO) { io.Display(d) }) }

// ClearOutput does nothing.
func (*captured) ClearOutput(bool) {}

// Result keeps the value as a display.
func (c *captured) Result(data, metadata json.RawMessage) {
	c.Display(Display{Data: data, Metadata: metadata, Transient: json.RawMessage("{}")})
}

// Error does nothing: what ends the cell is shown by whoever runs it.
func (*captured) Error(Error) {}

// Comm does nothing.
func (*captured) Comm(string, json.RawMessage, [][]byte) {}

// Input refuses.
func (*captured) Input(context.Context, string, bool) (string, error) { return "", ErrNoStdin }

func (in *Interp) capture(name, body string) error {
	c := &captured{in: in, out: map[string]string{}}
	outer := in.io
	in.io = c
	v, err := in.exec(body, in.addSource(fmt.Sprintf("In[%d]", in.count-1), body))
	if err == nil && v != nil {
		err = in.showResult(v)
	}
	if err == nil {
		err = in.flushFigures()
	}
	in.io = outer
	if fields := strings.Fields(name); err == nil && len(fields) > 0 {
		in.set(fields[len(fields)-1], c)
	}
	return err
}
