package cells

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.starlark.net/starlark"
)

// modules are the modules that cells can import.
func modules(p *process) map[string]*object {
	display := displayModule(p)
	return map[string]*object{
		"IPython":           module("IPython", starlark.StringDict{"display": display}),
		"IPython.display":   display,
		"matplotlib.pyplot": pyplot(p),
		"comm":              module("comm", starlark.StringDict{"create_comm": function("create_comm", "target_name data buffers", p.createComm)}),
		"signal":            module("signal", starlark.StringDict{"SIGKILL": starlark.MakeInt(9)}),
		"sys":               module("sys", starlark.StringDict{"stdout": p.stream("stdout"), "stderr": p.stream("stderr")}),
		"threading":         module("threading", starlark.StringDict{"Thread": function("Thread", "target", p.thread)}),
		"time": module("time", starlark.StringDict{
			"sleep": does("sleep", "secs", func(a args) error {
				if secs, ok := starlark.AsFloat(a[0]); ok {
					return p.sleep(time.Duration(secs * float64(time.Second)))
				}
				return notUnderstood("time.sleep() of " + a[0].Type())
			}),
		}),
		"os": module("os", starlark.StringDict{
			"environ": starlark.NewDict(0),
			"getpid":  gives("getpid", "", func(args) value { return starlark.MakeInt(p.config.PID) }),
			"getcwd":  gives("getcwd", "", func(args) value { return starlark.String(p.config.Dir) }),
			"_exit":   does("_exit", "status", func(args) error { return p.kill() }),
			"kill": does("kill", "pid signal", func(a args) error {
				if fmt.Sprint(a[0], a[1]) != fmt.Sprint(p.config.PID, " 9") {
					return notUnderstood("os.kill() of another process or with another signal")
				}
				return p.kill()
			}),
			"path": module("posixpath", starlark.StringDict{"exists": gives("exists", "path", func(a args) value {
				_, err := os.Stat(p.file(a.text(0)))
				return starlark.Bool(err == nil)
			})}),
		}),
		"getpass": module("getpass", starlark.StringDict{"getpass": function("getpass", "prompt", func(a args) (value, error) {
			return p.input(cmp.Or(a.text(0), "Password: "), true)
		})}),
		"base64": module("base64", starlark.StringDict{
			"b64decode": function("b64decode", "s", func(a args) (value, error) {
				b, err := base64.StdEncoding.DecodeString(a.text(0))
				return starlark.Bytes(b), err
			}),
			"b64encode": gives("b64encode", "s", func(a args) value { // b64encode returns decodable bytes, unlike Starlark's
				s := base64.StdEncoding.EncodeToString([]byte(a.text(0)))
				decode := gives("decode", "encoding", func(args) value { return starlark.String(s) })
				return &object{kind: "bytes", text: "b" + quote(s), attrs: starlark.StringDict{"decode": decode}}
			}),
		}),
		// nbduet's own programs begin with exec. They need a real kernel, and the code that sends them accepts their
		// failure.
		"builtins": module("builtins", starlark.StringDict{"exec": does("exec", "source globals", func(args) error {
			return raised("NotImplementedError", "this kernel runs no programs of nbduet's own")
		})}),
	}
}

func (p *process) stream(name string) value {
	return &object{kind: "OutStream", text: name, attrs: starlark.StringDict{
		"flush": does("flush", "", func(args) error { p.io.Flush(name); return nil }),
		"write": gives("write", "string", func(a args) value {
			p.io.Stream(name, a.text(0))
			return starlark.MakeInt(len([]rune(a.text(0))))
		}),
	}}
}

// createComm opens a comm.
func (p *process) createComm(a args) (value, error) {
	p.comms++
	id := fmt.Sprintf("4a2bb839d5784d57%016x", p.comms)
	send := func(kind string, content fields, data, buffers value) error {
		if data == starlark.None {
			data = starlark.NewDict(0)
		}
		b, err := encoded(data)
		content["data"], content["comm_id"] = b, id
		var parts [][]byte
		if list, ok := buffers.(*starlark.List); ok {
			for part := range list.Elements() {
				parts = append(parts, []byte(args{part}.text(0)))
			}
		}
		p.io.Comm(kind, content.json(), parts)
		return err
	}
	return &object{kind: "Comm", text: "<ipykernel.comm.comm.Comm>", attrs: starlark.StringDict{
		"comm_id": starlark.String(id),
		"send":    does("send", "data buffers", func(a args) error { return send("comm_msg", fields{}, a[0], a[1]) }),
		"close":   does("close", "data buffers", func(a args) error { return send("comm_close", fields{}, a[0], a[1]) }),
	}}, send("comm_open", fields{"target_name": a.text(0), "target_module": nil}, a[1], a[2])
}

// file returns a path on disk; a relative name is below the working folder.
func (p *process) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.config.Dir, name)
}

// open returns a file, which is read or written at once.
func (p *process) open(name, mode string) (value, error) {
	var content []byte
	var err error
	switch mode {
	case "", "r", "rb":
		if content, err = os.ReadFile(p.file(name)); err != nil {
			return nil, raised("FileNotFoundError", "[Errno 2] No such file or directory: %s", quote(name))
		}
	case "w", "wb":
		err = os.WriteFile(p.file(name), nil, 0o644)
	default:
		return nil, notUnderstood("open() with the mode " + mode)
	}
	return &object{kind: "TextIOWrapper", text: "<_io.TextIOWrapper>", attrs: starlark.StringDict{
		"close": does("close", "", func(args) error { return nil }),
		"write": function("write", "s", func(a args) (value, error) {
			content = append(content, a.text(0)...)
			return starlark.MakeInt(len(a.text(0))), os.WriteFile(p.file(name), content, 0o644)
		}),
		"read": gives("read", "", func(args) value {
			if mode == "rb" {
				return starlark.Bytes(content)
			}
			return starlark.String(content)
		}),
	}}, err
}
