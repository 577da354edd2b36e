package scripts_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script runs a script on a machine that uname calls system, with only these programs of this machine in PATH.
func script(t *testing.T, system string, programs []string, name string, args ...string) (said string, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		at, err := exec.LookPath(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	file, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	uname := "#!/bin/sh\necho " + system + "\n"
	if err := os.WriteFile(filepath.Join(dir, "uname"), []byte(uname), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", append([]string{file}, args...)...)
	cmd.Env = []string{"PATH=" + dir}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A missing program gives one line that says what to install, and the check installs nothing.
func TestMissing(t *testing.T) {
	const (
		compiler = "needs a C compiler: install gcc or clang"
		browser  = "need Chromium or Chrome: install one, or name it with CHROME_BIN"
	)
	for _, c := range []struct {
		name, system, script string
		args                 []string
		want                 string
	}{
		{"Python", "Linux x86_64", "venv.sh", []string{"lab", "check"}, "Python is missing: install Python 3.11 or later"},
		{"Python for Zig", "Linux x86_64", "venv.sh", []string{"zig", "check"}, "Python is missing: install Python 3.11 or later"},
		{"Node", "Linux x86_64", "node.sh", []string{"check"}, "Node is missing: install Node 20 or later"},
		{"a compiler", "FreeBSD amd64", "system.sh", []string{"check"}, compiler},
		{"a compiler for the detector", "Linux riscv64", "system.sh", []string{"compiler"}, compiler},
		{"a browser", "Linux aarch64", "system.sh", []string{"check"}, browser},
		{"a browser on macOS", "Darwin x86_64", "system.sh", []string{"browser"}, browser},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat("/Applications"); err == nil && c.want == browser {
				return // macOS may have it outside PATH
			}
			said, err := script(t, c.system, []string{"bash", "dirname"}, c.script, c.args...)
			var exit *exec.ExitError
			must.True(t, errors.As(err, &exit))
			test.Eq(t, 1, exit.ExitCode())
			test.StrContains(t, said, c.want)
			test.Eq(t, 1, strings.Count(said, "\n"))
		})
	}
}

// If npm and PyPI have the missing programs, the check is silent and installs nothing.
func TestCouldBeFetched(t *testing.T) {
	said, err := script(t, "Linux x86_64", []string{"bash", "dirname"}, "system.sh", "check")
	must.NoError(t, err)
	test.Eq(t, "", said)
}

// A missing program is replaced by a Python environment or a Node package.
func TestFetches(t *testing.T) {
	for what, want := range map[string]string{
		"compiler": "Python is missing",
		"browser":  "Node is missing",
	} {
		said, err := script(t, "Linux x86_64", []string{"bash", "dirname", "mkdir"}, "system.sh", what)
		must.Error(t, err, must.Sprint(what))
		test.StrContains(t, said, want, test.Sprint(what))
	}
}

// An installed compiler or browser is used; nothing is fetched in its place.
func TestFound(t *testing.T) {
	for what, program := range map[string]string{"compiler": "gcc", "browser": "chromium"} {
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		said, err := script(t, "Linux x86_64", []string{"bash", "dirname", program}, "system.sh", what)
		must.NoError(t, err, must.Sprint(what))
		test.Eq(t, "", said, test.Sprint(what))
	}
}

// Two processes that make the same thing in one checkout do it one after the other.
func TestAlone(t *testing.T) {
	if _, err := exec.LookPath("flock"); err != nil {
		return // as on macOS
	}
	dir := t.TempDir()
	ended := make(chan error, 2)
	for range 2 {
		cmd := exec.CommandContext(t.Context(), "bash", "alone.sh", "test-of-alone", "bash", "-c", `mkdir "$0/at-work" && sleep 0.2 && rmdir "$0/at-work"`, dir)
		go func() { ended <- cmd.Run() }()
	}
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("beside the other: %v", err)
		}
	}
}
