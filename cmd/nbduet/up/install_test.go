package up_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/up"
)

// An environment is created once.
func TestInstall(t *testing.T) {
	for name, c := range map[string]struct {
		uv       bool
		installs []string
		says     string
	}{
		"pip":            {false, []string{"-I -m venv ", "-I -m pip install "}, "with pip"},
		"uv":             {true, []string{"venv --no-project --python ", "pip install --python "}, "with uv"},
		"uv, no Python":  {true, []string{"venv --no-project --python 3.13 ", "pip install --python "}, "with uv"},
		"uv, old Python": {true, []string{"venv --no-project --python 3.13 ", "pip install --python "}, "with uv"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			if c.uv {
				m.has("uv", fake{})
			}
			switch name {
			case "uv, no Python":
			case "uv, old Python":
				m.has("python3", fake{Version: [3]int{3, 6, 15}, Venv: true})
			default:
				m.has("python3", usual)
			}
			for range 2 {
				r := m.up(up.Up{})
				m.serving(r)
				must.NoError(t, r.end())
				if !strings.Contains(r.errs.String(), c.says) {
					t.Errorf("it said %s", r.errs)
				}
				c.says = ""
			}
			done := m.records("installs")
			if len(done) != 2 {
				t.Fatalf("installed was %q", done)
			}
			for i, want := range c.installs {
				if !strings.HasPrefix(done[i], want) {
					t.Errorf("installed was %q, want %q", done[i], want)
				}
			}
			if !strings.Contains(done[1], "--require-hashes --only-binary :all:") {
				t.Errorf("installed was %q", done[1])
			}
			if made := m.made(); len(made) != 1 {
				t.Errorf("made were %q", made)
			}
		})
	}
}

// An incomplete environment is created again, and so is one that has lost its Python.
func TestHalfEnvironment(t *testing.T) {
	m := newMachine(t)
	m.has("python3", usual)
	first := m.up(up.Up{})
	m.serving(first)
	must.NoError(t, first.end())
	dir := m.made()[0]
	for n, broken := range []string{"nbduet-made-this.txt", "bin/python"} {
		must.NoError(t, os.Remove(filepath.Join(dir, broken)))
		half := filepath.Join(dir, "half")
		must.NoError(t, os.WriteFile(half, nil, 0o600))
		r := m.up(up.Up{})
		m.serving(r)
		must.NoError(t, r.end())
		if _, err := os.Stat(half); err == nil {
			t.Errorf("without %s the environment was taken", broken)
		}
		if done := m.records("installs"); len(done) != 2*(n+2) {
			t.Errorf("installed was %q", done)
		}
	}
}

// A failed installation leaves nothing behind.
func TestNotInstalled(t *testing.T) {
	for _, c := range []struct {
		uv   bool
		what string
		says []string
	}{
		{false, "no network", []string{"the network or their server cannot be reached"}},
		{true, "no network", []string{"the network or their server cannot be reached"}},
		{false, "company", []string{"certificate is not trusted", "PIP_CERT"}},
		{true, "company", []string{"certificate is not trusted", "SSL_CERT_FILE"}},
		{false, "wrong hash", []string{"python failed", "THESE PACKAGES DO NOT MATCH THE HASHES", "up-install.log"}},
		{true, "wrong hash", []string{"uv failed", "THESE PACKAGES DO NOT MATCH THE HASHES", "up-install.log"}},
	} {
		m := newMachine(t)
		python := usual
		python.Pip = c.what
		m.has("python3", python)
		if c.uv {
			m.has("uv", fake{Pip: c.what})
		}
		r := m.up(up.Up{})
		m.fails(r, false, c.says...)
		if strings.Contains(r.err.Error(), "\n") {
			t.Errorf("that are several lines: %v", r.err)
		}
		if made := m.made(); made != nil {
			t.Errorf("after %q, left is %q", c.what, made)
		}
	}
}

// A stopped installation leaves nothing behind, either.
func TestInstallIsStopped(t *testing.T) {
	m := newMachine(t)
	python := usual
	python.Pip = "hangs"
	m.has("python3", python)
	r := m.up(up.Up{})
	m.until(r, func() bool { return len(m.records("installs")) == 2 })
	if err := r.end(); err != nil {
		t.Error(err)
	}
	made := m.made()
	must.Nil(t, made)
	test.StrContains(t, r.errs.String(), "nothing is left")
}
