package up_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/up"
)

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	must.NoError(t, err)
	return n
}

// The nearest JupyterLab is used, if clients can work with it.
func TestChoice(t *testing.T) {
	with := func(lab, collab string) fake {
		return fake{Version: usual.Version, Venv: true, Lab: lab, Collab: collab}
	}
	for name, c := range map[string]struct {
		up    up.Up
		set   func(m *machine)
		taken string // below the machine's folder
		says  string
	}{
		"active": {set: func(m *machine) {
			m.env["VIRTUAL_ENV"] = m.environment(filepath.Join(m.dir, "active"), complete)
			m.environment(filepath.Join(m.folder, ".venv"), complete)
		}, taken: "active/bin/python", says: "✓ JupyterLab 4.6.6 of "},
		"conda": {set: func(m *machine) {
			m.env["CONDA_PREFIX"] = m.environment(filepath.Join(m.dir, "conda"), complete)
		}, taken: "conda/bin/python"},
		"of the folder": {set: func(m *machine) {
			m.environment(filepath.Join(m.folder, ".venv"), complete)
		}, taken: "my Übungen/.venv/bin/python"},
		"in PATH": {set: func(m *machine) { m.has("python3", complete) }, taken: "bin/python3"},
		"of a script in PATH": {set: func(m *machine) {
			m.script("#!" + filepath.Join(m.environment(filepath.Join(m.dir, "tool"), complete), "bin", "python") + "\nimport sys\n")
		}, taken: "tool/bin/python"},
		"of a script with a space": {set: func(m *machine) {
			m.script("#!/bin/sh\n'''exec' \"" + filepath.Join(m.environment(filepath.Join(m.dir, "my tool"), complete), "bin", "python") + "\" \"$0\" \"$@\"\n' '''\n")
		}, taken: "my tool/bin/python"},
		"without collaboration": {set: func(m *machine) {
			m.env["VIRTUAL_ENV"] = m.environment(filepath.Join(m.dir, "active"), with("4.6.6", ""))
		}, says: "active has no jupyter-collaboration ("},
		"a script without collaboration": {set: func(m *machine) {
			m.script("#!/bin/sh\n'''exec' \"" + filepath.Join(m.environment(filepath.Join(m.dir, "it's mine"), with("4.6.6", "")), "bin", "python") + "\" \"$0\" \"$@\"\n' '''\n")
		}, says: `it'\''s mine/bin/python' -m pip install jupyter-collaboration`},
		"old": {set: func(m *machine) {
			m.env["VIRTUAL_ENV"] = m.environment(filepath.Join(m.dir, "active"), with("4.3.9", "4.0"))
		}, says: "active is version 4.3.9, and clients need 4.4 or later"},
		"old collaboration": {set: func(m *machine) {
			m.env["VIRTUAL_ENV"] = m.environment(filepath.Join(m.dir, "active"), with("4.4.0", "3.1.2"))
		}, says: "active is version 3.1.2, and clients need 4 or later"},
		"own": {up: up.Up{Own: true}, set: func(m *machine) {
			m.env["VIRTUAL_ENV"] = m.environment(filepath.Join(m.dir, "active"), complete)
		}},
		"none":  {set: func(*machine) {}, says: "installing JupyterLab"},
		"named": {up: up.Up{Python: "python3.11"}, set: func(m *machine) { m.has("python3.11", complete) }, taken: "bin/python3.11"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.has("python3", usual)
			c.set(m)
			r := m.up(c.up)
			m.serving(r)
			must.NoError(t, r.end())
			program, _, _ := strings.Cut(m.records("servers")[0], " in ")
			if c.taken != "" && program != filepath.Join(m.dir, c.taken) {
				t.Errorf("taken was %s", program)
			}
			if own := strings.HasPrefix(program, filepath.Join(m.dir, "data", "jupyter-")); own != (c.taken == "") {
				t.Errorf("taken was %s", program)
			}
			if !strings.Contains(r.errs.String(), c.says) {
				t.Errorf("it said %s", r.errs)
			}
		})
	}
}

// script adds a jupyter to PATH.
func (m *machine) script(text string) {
	m.t.Helper()
	must.NoError(m.t, os.WriteFile(filepath.Join(m.dir, "bin", "jupyter"), []byte(text), 0o700)) //nolint:gosec // it has to be executable
}

// Each error says what to install.
func TestNoPython(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		fake    fake
		says    []string
	}{
		"none":      {says: []string{"no Python was found", "apt install python3 python3-venv", "Python 3.10 to 3.14", "uv"}},
		"old":       {"python3", fake{Version: [3]int{3, 8, 18}, Venv: true}, []string{"python3 is Python 3.8.18, which is too old", "3.10"}},
		"two":       {"python", fake{Version: [3]int{2, 7, 18}}, []string{"python is Python 2.7.18, which is too old"}},
		"new":       {"python3", fake{Version: [3]int{3, 15, 0}, Venv: true}, []string{"3.15.0, which is too new"}},
		"ensurepip": {"python3", fake{Version: [3]int{3, 12, 1}}, []string{"python3 cannot make environments", "ensurepip", "apt install python3-venv"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			if c.program != "" {
				m.has(c.program, c.fake)
			}
			r := m.up(up.Up{})
			m.fails(r, false, c.says...)
			if strings.Contains(r.err.Error(), "\n") {
				t.Errorf("that are several lines: %v", r.err)
			}
		})
	}
}

func TestNamedPython(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	m.has("python3.9", fake{Version: [3]int{3, 9, 1}, Venv: true})
	m.fails(m.up(up.Up{Python: filepath.Join(m.dir, "nothing")}), true, "--python: ", "nothing")
	m.fails(m.up(up.Up{Python: "python3.9"}), false, "3.9.1, which is too old")
}
