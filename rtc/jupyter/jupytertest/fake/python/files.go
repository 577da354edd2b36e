package python

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"go.starlark.net/starlark"
)

// file is an open one. It is read at once, and written at once when it is flushed or closed.
type file struct {
	in         *Interp
	path, mode string
	content    []byte
	at         int
	changed    bool
	closed     bool
}

func (f *file) String() string {
	if strings.Contains(f.mode, "b") {
		return "<_io.BufferedWriter name=" + quote(f.path) + ">"
	}
	return "<_io.TextIOWrapper name=" + quote(f.path) + " mode=" + quote(f.mode) + " encoding='UTF-8'>"
}
func (*file) Type() string          { return "_io.TextIOWrapper" }
func (*file) Freeze()               {}
func (*file) Truth() starlark.Bool  { return true }
func (*file) Hash() (uint32, error) { return 9, nil }

func (in *Interp) open(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	f := &file{in: in, path: in.pathText(args[0]), mode: text(argumentOf(args, kwargs, 1, "mode", starlark.String("r")))}
	content, err := os.ReadFile(in.absolute(f.path))
	switch f.mode[:1] {
	case "r":
		if err != nil {
			return nil, in.fileError(err, f.path)
		}
		f.content = content
		return f, nil
	case "x":
		if err == nil {
			return nil, in.fileError(os.ErrExist, f.path)
		}
	case "a":
		f.content = content
	case "w":
	default:
		return nil, in.exceptionf("ValueError", "invalid mode: %s", quote(f.mode))
	}
	f.at, f.changed = len(f.content), true
	return f, f.flush()
}

func (in *Interp) readFile(path string) ([]byte, error) {
	b, err := os.ReadFile(in.absolute(path))
	return b, in.fileError(err, path)
}

func (f *file) flush() error {
	if !f.changed {
		return nil
	}
	f.changed = false
	return f.in.fileError(os.WriteFile(f.in.absolute(f.path), f.content, 0o644), f.path)
}

func (f *file) value(b []byte) starlark.Value {
	if strings.Contains(f.mode, "b") {
		return starlark.Bytes(b)
	}
	return starlark.String(b)
}

// line reads up to the next end of a line; at the file's end it is empty.
func (f *file) line() []byte {
	end := bytes.IndexByte(f.content[f.at:], '\n') + 1
	if end == 0 {
		end = len(f.content) - f.at
	}
	b := f.content[f.at : f.at+end]
	f.at += end
	return b
}

func (f *file) lines(*Interp) (starlark.Value, error) {
	l := starlark.NewList(nil)
	for f.at < len(f.content) {
		if err := l.Append(f.value(f.line())); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (f *file) attr(in *Interp, name string) (starlark.Value, error) {
	method := func(fn func(args starlark.Tuple) (starlark.Value, error)) (starlark.Value, error) {
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			if f.closed && name != "close" && name != "__exit__" {
				return nil, in.exceptionf("ValueError", "I/O operation on closed file.")
			}
			return fn(args)
		}), nil
	}
	switch name {
	case "read":
		return method(func(args starlark.Tuple) (starlark.Value, error) {
			end := len(f.content)
			if len(args) > 0 {
				if n, ok := integer(args[0]); ok && n >= 0 {
					end = min(end, f.at+n)
				}
			}
			b := f.content[f.at:end]
			f.at = end
			return f.value(b), nil
		})
	case "readline":
		return method(func(starlark.Tuple) (starlark.Value, error) { return f.value(f.line()), nil })
	case "readlines":
		return method(func(starlark.Tuple) (starlark.Value, error) { return f.lines(in) })
	case "write":
		return method(func(args starlark.Tuple) (starlark.Value, error) {
			if f.mode == "r" {
				return nil, in.exceptionf("OSError", "not writable")
			}
			f.content, f.changed = append(f.content, bytesOf(args[0])...), true
			n, err := in.length(args[0])
			return starlark.MakeInt(n), err
		})
	case "flush":
		return method(func(starlark.Tuple) (starlark.Value, error) { return starlark.None, f.flush() })
	case "close", "__exit__":
		return method(func(starlark.Tuple) (starlark.Value, error) {
			f.closed = true
			return starlark.None, f.flush()
		})
	case "__enter__":
		return method(func(starlark.Tuple) (starlark.Value, error) { return f, nil })
	case "name":
		return starlark.String(f.path), nil
	case "mode":
		return starlark.String(f.mode), nil
	case "closed":
		return starlark.Bool(f.closed), nil
	}
	return nil, nil
}

// pathValue is a pathlib.Path.
type pathValue string

func (p pathValue) String() string        { return "PosixPath(" + quote(string(p)) + ")" }
func (pathValue) Type() string            { return "PosixPath" }
func (pathValue) Freeze()                 {}
func (pathValue) Truth() starlark.Bool    { return true }
func (p pathValue) Hash() (uint32, error) { return starlark.String(p).Hash() }
func (p pathValue) str() string           { return string(p) }

func (p pathValue) operate(in *Interp, op string, y starlark.Value) (starlark.Value, error) {
	switch op {
	case "/":
		return pathValue(filepath.Join(string(p), in.pathText(y))), nil
	case "==":
		q, ok := y.(pathValue)
		return starlark.Bool(ok && p == q), nil
	case "<":
		return starlark.Bool(string(p) < in.pathText(y)), nil
	}
	return nil, nil
}

func (in *Interp) pathlibModule() starlark.StringDict {
	c := in.newClass("pathlib", "Path")
	c.make = func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		p := pathValue(".")
		for _, a := range args {
			if q := in.pathText(a); filepath.IsAbs(q) {
				p = pathValue(filepath.Clean(q))
			} else {
				p = pathValue(filepath.Join(string(p), q))
			}
		}
		return p, nil
	}
	_ = c.members.SetKey(starlark.String("cwd"), plainFunc("cwd", func(starlark.Tuple) (starlark.Value, error) { return pathValue(in.dir), nil }))
	return starlark.StringDict{"Path": c, "PosixPath": c}
}

func (p pathValue) attr(in *Interp, name string) (starlark.Value, error) {
	path := in.absolute(string(p))
	method := func(fn func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)) (starlark.Value, error) {
		return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return fn(args, kwargs)
		}), nil
	}
	info := func(fn func(os.FileInfo) bool) (starlark.Value, error) {
		return method(func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			i, err := os.Stat(path)
			return starlark.Bool(err == nil && fn(i)), nil
		})
	}
	read := func(fn func([]byte) starlark.Value) (starlark.Value, error) {
		return method(func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			b, err := in.readFile(path)
			return fn(b), err
		})
	}
	do := func(fn func() error) (starlark.Value, error) {
		return method(func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.fileError(fn(), string(p))
		})
	}
	switch name {
	case "name":
		return starlark.String(filepath.Base(path)), nil
	case "stem":
		return starlark.String(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))), nil
	case "suffix":
		return starlark.String(filepath.Ext(path)), nil
	case "parent":
		return pathValue(filepath.Dir(string(p))), nil
	case "exists":
		return info(func(os.FileInfo) bool { return true })
	case "is_file":
		return info(func(i os.FileInfo) bool { return i.Mode().IsRegular() })
	case "is_dir":
		return info(os.FileInfo.IsDir)
	case "read_text":
		return read(func(b []byte) starlark.Value { return starlark.String(b) })
	case "read_bytes":
		return read(func(b []byte) starlark.Value { return starlark.Bytes(b) })
	case "write_text", "write_bytes":
		return method(func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			n, err := in.length(args[0])
			return starlark.MakeInt(n), firstError(err, in.fileError(os.WriteFile(path, bytesOf(args[0]), 0o644), string(p)))
		})
	case "touch":
		return do(func() error {
			f, err := os.OpenFile(path, os.O_CREATE, 0o644)
			if err != nil {
				return err
			}
			return f.Close()
		})
	case "unlink", "rmdir":
		return do(func() error { return os.Remove(path) })
	case "mkdir":
		return method(func(_ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			err := os.Mkdir(path, 0o755)
			if option(kwargs, "parents", starlark.False).Truth() {
				err = os.MkdirAll(path, 0o755)
			}
			if os.IsExist(err) && bool(option(kwargs, "exist_ok", starlark.False).Truth()) {
				err = nil
			}
			return starlark.None, in.fileError(err, string(p))
		})
	case "resolve", "absolute":
		return method(func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error) { return pathValue(path), nil })
	case "glob", "iterdir":
		return method(func(args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			pattern := "*"
			if len(args) > 0 {
				pattern = text(args[0])
			}
			found, err := filepath.Glob(filepath.Join(path, pattern))
			out := &iterator{kind: "generator", id: in.address()}
			for _, name := range found {
				rel, _ := filepath.Rel(path, name) // it is below
				out.items = append(out.items, pathValue(filepath.Join(string(p), rel)))
			}
			return out, err
		})
	}
	return nil, nil
}
