package python

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.starlark.net/starlark"
)

// stream is sys.stdout or sys.stderr.
type stream struct {
	in   *Interp
	name string
}

func (s *stream) String() string      { return "<ipykernel.iostream.OutStream object at 0x7f8543df2c90>" }
func (*stream) Type() string          { return "OutStream" }
func (*stream) Freeze()               {}
func (*stream) Truth() starlark.Bool  { return true }
func (*stream) Hash() (uint32, error) { return 8, nil }

func (s *stream) attr(in *Interp, name string) (starlark.Value, error) {
	switch name {
	case "write":
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			t, ok := args[0].(starlark.String)
			if !ok {
				return nil, in.exceptionf("TypeError", "write() argument must be str, not <class '%s'>", in.typeName(args[0]))
			}
			in.io.Stream(s.name, string(t))
			n, err := in.length(t)
			return starlark.MakeInt(n), err
		}), nil
	case "flush":
		return plainFunc(name, func(starlark.Tuple) (starlark.Value, error) {
			in.io.Flush(s.name)
			return starlark.None, nil
		}), nil
	case "isatty":
		return plainFunc(name, func(starlark.Tuple) (starlark.Value, error) { return starlark.False, nil }), nil
	case "name":
		return starlark.String(s.name), nil
	case "encoding":
		return starlark.String("UTF-8"), nil
	}
	return nil, nil
}

func (in *Interp) sysModule() starlark.StringDict {
	return starlark.StringDict{
		"stdout":       &stream{in, "stdout"},
		"stderr":       &stream{in, "stderr"},
		"version":      starlark.String("3.13.0 (a small Python for tests)"),
		"version_info": starlark.Tuple{starlark.MakeInt(3), starlark.MakeInt(13), starlark.MakeInt(0), starlark.String("final"), starlark.MakeInt(0)},
		"platform":     starlark.String("linux"),
		"executable":   starlark.String("/usr/bin/python3"),
		"argv":         starlark.NewList([]starlark.Value{starlark.String("ipykernel_launcher.py")}),
		"path":         starlark.NewList(nil),
		"maxsize":      starlark.MakeInt64(1<<63 - 1),
		"modules":      starlark.NewDict(0),
		"exit": plainFunc("exit", func(args starlark.Tuple) (starlark.Value, error) {
			return nil, in.raise("SystemExit", args...)
		}),
	}
}

func (in *Interp) osModule() starlark.StringDict {
	environ := starlark.NewDict(len(in.config.Env))
	for k, v := range in.config.Env {
		_ = environ.SetKey(starlark.String(k), starlark.String(v)) // a new dictionary
	}
	onFile := func(name string, fn func(path string) error) starlark.Value {
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.fileError(fn(in.resolve(args[0])), in.pathText(args[0]))
		})
	}
	end := func(name string) starlark.Value {
		return plainFunc(name, func(starlark.Tuple) (starlark.Value, error) { return nil, in.stop() })
	}
	return starlark.StringDict{
		"environ": environ,
		"sep":     starlark.String("/"),
		"name":    starlark.String("posix"),
		"linesep": starlark.String("\n"),
		"getenv": plainFunc("getenv", func(args starlark.Tuple) (starlark.Value, error) {
			if v, ok, _ := environ.Get(args[0]); ok {
				return v, nil
			}
			return argumentOf(args, nil, 1, "", starlark.None), nil
		}),
		"getpid":  plainFunc("getpid", func(starlark.Tuple) (starlark.Value, error) { return starlark.MakeInt(in.config.PID), nil }),
		"getppid": plainFunc("getppid", func(starlark.Tuple) (starlark.Value, error) { return starlark.MakeInt(1), nil }),
		"getcwd":  plainFunc("getcwd", func(starlark.Tuple) (starlark.Value, error) { return starlark.String(in.dir), nil }),
		"_exit":   end("_exit"),
		"abort":   end("abort"),
		"kill":    plainFunc("kill", in.kill),
		"chdir": onFile("chdir", func(path string) error {
			if _, err := os.Stat(path); err != nil {
				return err
			}
			in.dir = path
			return nil
		}),
		"mkdir": onFile("mkdir", func(path string) error { return os.Mkdir(path, 0o755) }),
		"makedirs": builtin("makedirs", func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			path := in.resolve(args[0])
			if _, err := os.Stat(path); err == nil && !bool(option(kwargs, "exist_ok", starlark.False).Truth()) {
				return nil, in.fileError(fs.ErrExist, in.pathText(args[0]))
			}
			return starlark.None, in.fileError(os.MkdirAll(path, 0o755), in.pathText(args[0]))
		}),
		"remove": onFile("remove", os.Remove),
		"unlink": onFile("unlink", os.Remove),
		"rmdir":  onFile("rmdir", os.Remove),
		"rename": plainFunc("rename", func(args starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.fileError(os.Rename(in.resolve(args[0]), in.resolve(args[1])), in.pathText(args[0]))
		}),
		"listdir": plainFunc("listdir", func(args starlark.Tuple) (starlark.Value, error) {
			dir := argumentOf(args, nil, 0, "", starlark.String("."))
			list, err := os.ReadDir(in.resolve(dir))
			out := starlark.NewList(nil)
			for _, e := range list {
				_ = out.Append(starlark.String(e.Name())) // a new list
			}
			return out, in.fileError(err, in.pathText(dir))
		}),
	}
}

// stop ends the process at once.
func (in *Interp) stop() error {
	in.stopped = true
	in.thread.Cancel("killed")
	return errStopped
}

var errStopped = errors.New("python: the process has ended")

// kill sends a signal to the process itself.
func (in *Interp) kill(args starlark.Tuple) (starlark.Value, error) {
	pid, _ := integer(args[0])
	sig, _ := integer(args[1])
	if pid != in.config.PID {
		return nil, in.exceptionf("OSError", "[Errno 3] No such process")
	}
	switch sig {
	case 0:
		return starlark.None, nil
	case 2:
		return nil, in.raiseInterrupt()
	}
	return nil, in.stop()
}

func (in *Interp) signalModule() starlark.StringDict {
	out := starlark.StringDict{"signal": nothing("signal"), "pthread_sigmask": nothing("pthread_sigmask")}
	for name, n := range map[string]int{"SIGINT": 2, "SIGKILL": 9, "SIGTERM": 15, "SIGALRM": 14, "SIG_BLOCK": 0, "SIG_UNBLOCK": 1} {
		out[name] = starlark.MakeInt(n)
	}
	return out
}

func (in *Interp) pathModule() starlark.StringDict {
	test := func(name string, fn func(os.FileInfo) bool) starlark.Value {
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			info, err := os.Stat(in.resolve(args[0]))
			return starlark.Bool(err == nil && fn(info)), nil
		})
	}
	on := func(name string, fn func(string) string) starlark.Value {
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			return starlark.String(fn(in.pathText(args[0]))), nil
		})
	}
	return starlark.StringDict{
		"exists":   test("exists", func(os.FileInfo) bool { return true }),
		"isfile":   test("isfile", func(i os.FileInfo) bool { return i.Mode().IsRegular() }),
		"isdir":    test("isdir", os.FileInfo.IsDir),
		"basename": on("basename", filepath.Base),
		"dirname":  on("dirname", filepath.Dir),
		"abspath":  on("abspath", in.absolute),
		"join": plainFunc("join", func(args starlark.Tuple) (starlark.Value, error) {
			var parts []string
			for _, a := range args {
				p := in.pathText(a)
				if filepath.IsAbs(p) {
					parts = nil
				}
				parts = append(parts, p)
			}
			return starlark.String(filepath.Join(parts...)), nil
		}),
	}
}

func (in *Interp) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(in.dir, path)
}

// pathText is a path as it was given, resolve as it is on the disk.
func (in *Interp) pathText(v starlark.Value) string {
	if p, ok := v.(pathValue); ok {
		return string(p)
	}
	return text(v)
}

func (in *Interp) resolve(v starlark.Value) string { return in.absolute(in.pathText(v)) }

// fileError is Python's exception of an error of the disk.
func (in *Interp) fileError(err error, path string) error {
	known := []struct {
		err   error
		class string
		errno int
		text  string
	}{
		{fs.ErrNotExist, "FileNotFoundError", 2, "No such file or directory"},
		{fs.ErrExist, "FileExistsError", 17, "File exists"},
		{fs.ErrPermission, "PermissionError", 13, "Permission denied"},
	}
	if err == nil {
		return nil
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return in.exceptionf(k.class, "[Errno %d] %s: %s", k.errno, k.text, quote(path))
		}
	}
	return in.exceptionf("OSError", "%s", err)
}

func (in *Interp) timeModule() starlark.StringDict {
	started := time.Now()
	since := plainFunc("monotonic", func(starlark.Tuple) (starlark.Value, error) {
		return starlark.Float(time.Since(started).Seconds()), nil
	})
	return starlark.StringDict{
		"sleep": plainFunc("sleep", func(args starlark.Tuple) (starlark.Value, error) {
			if len(args) != 1 {
				return nil, in.exceptionf("TypeError", "time.sleep() takes exactly one argument (%d given)", len(args))
			}
			f, ok := starlark.AsFloat(asNumber(args[0]))
			if !ok {
				return nil, in.exceptionf("TypeError", "'%s' object cannot be interpreted as an integer", in.typeName(args[0]))
			}
			if f < 0 {
				return nil, in.exceptionf("ValueError", "sleep length must be non-negative")
			}
			return starlark.None, in.sleep(time.Duration(f * float64(time.Second)))
		}),
		"time": plainFunc("time", func(starlark.Tuple) (starlark.Value, error) {
			return starlark.Float(float64(time.Now().UnixNano()) / 1e9), nil
		}),
		"monotonic": since, "perf_counter": since, "process_time": since,
	}
}

func (in *Interp) getpassModule() starlark.StringDict {
	return starlark.StringDict{
		"getpass": builtin("getpass", func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return in.ask(text(argumentOf(args, kwargs, 0, "prompt", starlark.String("Password: "))), true)
		}),
	}
}

func (in *Interp) typesModule() starlark.StringDict {
	return starlark.StringDict{
		"SimpleNamespace": builtin("SimpleNamespace", func(_ *starlark.Thread, _ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			x := in.newInstance(in.newClass("types", "SimpleNamespace", in.classes("object")))
			for _, kw := range kwargs {
				if err := x.fields.SetKey(kw[0], kw[1]); err != nil {
					return nil, err
				}
			}
			return x, nil
		}),
	}
}

func (in *Interp) warningsModule() starlark.StringDict {
	return starlark.StringDict{
		"filterwarnings": nothing("filterwarnings"),
		"simplefilter":   nothing("simplefilter"),
		"warn": builtin("warn", func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			category := "UserWarning"
			if c, ok := argumentOf(args, kwargs, 1, "category", starlark.None).(*class); ok {
				category = c.name
			}
			msg, err := in.str(args[0])
			if err != nil {
				return nil, err
			}
			line := ""
			at := t.CallFrame(1).Pos
			if s := in.sources[at.Filename()]; s != nil && int(at.Line) <= len(s.lines) {
				line = s.lines[at.Line-1]
			}
			in.io.Stream("stderr", sprintf("%s:%d: %s: %s\n  %s\n", at.Filename(), at.Line, category, msg, line))
			return starlark.None, nil
		}),
	}
}

func (in *Interp) loggingModule() starlark.StringDict {
	levels := []string{"debug", "info", "warning", "error", "critical", "exception"}
	log := func(name string) starlark.Value {
		return plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			if slices.Index(levels, name) < 2 {
				return starlark.None, nil
			}
			msg := args[0]
			if len(args) > 1 {
				var err error
				if msg, err = in.percent(text(msg), args[1:]); err != nil {
					return nil, err
				}
			}
			s, err := in.str(msg)
			in.io.Stream("stderr", s+"\n")
			return starlark.None, err
		})
	}
	logger := &module{name: "Logger", members: starlark.StringDict{"setLevel": nothing("setLevel"), "addHandler": nothing("addHandler")}}
	out := starlark.StringDict{
		"getLogger": plainFunc("getLogger", func(starlark.Tuple) (starlark.Value, error) { return logger, nil }), "basicConfig": nothing("basicConfig"),
	}
	for i, name := range levels {
		logger.members[name], out[name] = log(name), log(name)
		out[map[int]string{0: "DEBUG", 1: "INFO", 2: "WARNING", 3: "ERROR", 4: "CRITICAL", 5: "FATAL"}[i]] = starlark.MakeInt(10 * (i + 1))
	}
	return out
}
