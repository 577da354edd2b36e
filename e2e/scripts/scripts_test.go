package scripts_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script runs a script with a PATH that has these programs of the machine's alone.
func script(t *testing.T, programs []string, name string, args ...string) (said string, err error) {
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
	cmd := exec.CommandContext(t.Context(), "bash", append([]string{file}, args...)...)
	cmd.Env = []string{"PATH=" + dir}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// What is missing on a machine is one line that says what to install, and nothing is installed by the check.
func TestMissing(t *testing.T) {
	basic := []string{"bash", "dirname", "id"}
	for _, c := range []struct {
		name, script string
		args         []string
		programs     []string
		want         string
	}{
		{"Python", "venv.sh", []string{"lab", "check"}, nil, "Python is missing: install Python 3.11 or later"},
		{"Node", "node.sh", []string{"check"}, nil, "Node is missing: install Node 20 or later"},
		{"a compiler", "system.sh", []string{"check"}, nil, "needs a C compiler: install gcc or clang"},
		{"a browser", "system.sh", []string{"check"}, []string{"cc"}, "need Chromium or Chrome: install one, or name it with CHROME_BIN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, err := script(t, append(basic, c.programs...), c.script, c.args...)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("%v, want the exit code 1", err)
			}
			if !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("said %q, want one line with %q", said, c.want)
			}
		})
	}
}

// Where apt can install what is missing, the check says nothing and installs nothing.
func TestCouldBeInstalled(t *testing.T) {
	if os.Getuid() != 0 {
		return // apt installs for root alone
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return
	}
	said, err := script(t, []string{"bash", "id", "apt-get"}, "system.sh", "check")
	if err != nil || said != "" {
		t.Errorf("%v: %s", err, said)
	}
}

// Two that make the same thing in one checkout do it one after the other.
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
