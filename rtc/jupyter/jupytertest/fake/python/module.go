package python

import (
	"strings"

	"go.starlark.net/starlark"
)

// module is an imported one.
type module struct {
	name    string
	members starlark.StringDict
	// missing gives the members that are not named, nil for none.
	missing func(name string) starlark.Value
}

func (m *module) String() string        { return "<module '" + m.name + "' (built-in)>" }
func (*module) Type() string            { return "module" }
func (*module) Freeze()                 {}
func (*module) Truth() starlark.Bool    { return true }
func (m *module) Hash() (uint32, error) { return starlark.String(m.name).Hash() }

func (m *module) attr(_ *Interp, name string) (starlark.Value, error) {
	if v, ok := m.members[name]; ok {
		return v, nil
	}
	if name == "__name__" {
		return starlark.String(m.name), nil
	}
	if m.missing != nil && !strings.HasPrefix(name, "_") {
		return m.missing(name), nil
	}
	return nil, nil
}

// loaders are the modules that there are.
func (in *Interp) loaders() map[string]func() starlark.StringDict {
	empty := func() starlark.StringDict { return starlark.StringDict{} }
	return map[string]func() starlark.StringDict{
		"sys": in.sysModule, "os": in.osModule, "os.path": in.pathModule, "time": in.timeModule, "signal": in.signalModule,
		"pathlib": in.pathlibModule, "getpass": in.getpassModule, "json": in.jsonModule, "math": in.mathModule, "base64": in.base64Module,
		"zlib": in.zlibModule, "struct": in.structModule, "warnings": in.warningsModule, "logging": in.loggingModule, "comm": in.commModule,
		"types": in.typesModule, "builtins": func() starlark.StringDict { return in.builtin }, "subprocess": empty, "threading": empty,
		"IPython": func() starlark.StringDict {
			return starlark.StringDict{"get_ipython": in.builtin["get_ipython"], "version_info": starlark.None}
		},
		"IPython.display": in.displayModule,
		"IPython.core":    empty,
		"IPython.core.page": func() starlark.StringDict {
			return starlark.StringDict{"display_page": builtin("display_page", in.displayPage)}
		},
		"matplotlib": func() starlark.StringDict {
			return starlark.StringDict{"use": nothing("use"), "rcParams": starlark.NewDict(0)}
		},
		"matplotlib.pyplot": in.pyplotModule,
		"PIL":               empty, "PIL.Image": in.pillowModule, "pandas": in.pandasModule,
	}
}

// nothing is a function that takes anything and does nothing.
func nothing(name string) starlark.Value {
	return builtin(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return starlark.None, nil
	})
}

// importModule imports a dotted name and returns the last module of it, or the first.
func (in *Interp) importModule(name string, top bool) (starlark.Value, error) {
	loaders := in.loaders()
	var first, parent *module
	path := ""
	for part := range strings.SplitSeq(name, ".") {
		path = strings.TrimPrefix(path+"."+part, ".")
		m := in.modules[path]
		if m == nil {
			load, ok := loaders[path]
			if !ok {
				if parent != nil && !strings.Contains(name, "IPython") {
					return nil, in.exceptionf("ModuleNotFoundError", "No module named '%s'; '%s' is not a package", path, parent.name)
				}
				return nil, in.exceptionf("ModuleNotFoundError", "No module named '%s'", path)
			}
			m = &module{name: path, members: load()}
			if path == "matplotlib.pyplot" {
				m.missing = in.pyplotFunction
			}
			in.modules[path] = m
			if path == "os" { // has its other module without asking
				if _, err := in.importModule("os.path", true); err != nil {
					return nil, err
				}
			}
		}
		if parent != nil {
			parent.members[part] = m
		} else {
			first = m
		}
		parent = m
	}
	if top {
		return first, nil
	}
	return parent, nil
}

func (in *Interp) importFrom(name, member string) (starlark.Value, error) {
	v, err := in.importModule(name, false)
	if err != nil {
		return nil, err
	}
	if found, err := in.find(v, member); found != nil && err == nil {
		return found, nil
	}
	if _, ok := in.loaders()[name+"."+member]; ok {
		return in.importModule(name+"."+member, false)
	}
	return nil, in.exceptionf("ImportError", "cannot import name '%s' from '%s' (unknown location)", member, name)
}

func (in *Interp) importAll(name string) error {
	v, err := in.importModule(name, false)
	if err != nil {
		return err
	}
	if m, ok := v.(*module); ok {
		for member, value := range m.members {
			if !strings.HasPrefix(member, "_") && !strings.HasPrefix(member, mark) {
				in.set(member, value)
			}
		}
	}
	return nil
}

// plainFunc is a function of a module that needs nothing but its arguments.
func plainFunc(name string, fn func(args starlark.Tuple) (starlark.Value, error)) starlark.Value {
	return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return fn(args)
	})
}
