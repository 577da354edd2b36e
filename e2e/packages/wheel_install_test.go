package packages

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/lab"
)

// TestWheelInstalls installs the wheels of this machine in each way that people use, from a folder, without an index,
// and without files of this repository.
func TestWheelInstalls(t *testing.T) {
	t.Parallel()
	k := &wheelKit{dir: filepath.Join(t.TempDir(), "wheels")}
	made := strings.Fields(wheelMade(t, []string{"VERSION=0.1.0"}, "wheels.sh", k.dir))
	if len(made) != 2 {
		t.Fatalf("made %q", made)
	}
	k.program = made[0]
	k.base = wheelBase(t)
	k.python = k.venv(t, k.base)
	t.Run("size", k.size)
	t.Run("each Python", k.pythons)
	t.Run("schemes", k.schemes)
	t.Run("module", k.module)
	t.Run("uv", k.uv)
	t.Run("home", k.home)
	t.Run("with a JupyterLab", k.serves)
	t.Run("removed", k.removed)
	t.Run("beside JupyterLab", k.besideJupyterLab)
}

// wheelKit has the wheels of this machine, in a folder.
type wheelKit struct {
	dir     string
	program string // the wheel with the program

	base, python string // the newest Python here, and the one of an environment for it
}

// wheelEnv returns the environment of a user who has set up nothing, with additions.
func wheelEnv(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + t.TempDir(), "PYTHONDONTWRITEBYTECODE=1", "PIP_DISABLE_PIP_VERSION_CHECK=1"}, more...)
}

// wheelRun runs a command and returns its standard output. It ends the test if the command fails.
func wheelRun(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	out, said, err := wheelTry(t, env, name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, said)
	}
	return out
}

func wheelTry(t *testing.T, env []string, name string, args ...string) (out, said string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, t.TempDir(), &o, &e
	err = cmd.Run()
	return strings.TrimSpace(o.String()), e.String(), err
}

// says checks that a command is the release's program.
func (*wheelKit) says(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	if said := wheelRun(t, env, name, append(args, "--version")...); !strings.HasPrefix(said, "nbduet 0.1.0 (go") {
		t.Errorf("%s %q is %q", name, args, said)
	}
}

// pip returns the arguments of Python with which pip installs only from the folder.
func (k *wheelKit) pip(more ...string) []string {
	return append([]string{"-m", "pip", "install", "--no-index", "--find-links", k.dir}, more...)
}

// venv returns the Python of a new virtual environment, with pip.
func (*wheelKit) venv(t *testing.T, python string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "venv")
	wheelRun(t, wheelEnv(t), python, "-m", "venv", dir)
	return filepath.Join(dir, "bin", "python")
}

// size limits the download, on Linux.
func (k *wheelKit) size(t *testing.T) {
	info, err := os.Stat(k.program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s has %d bytes", filepath.Base(k.program), info.Size())
	if limit := int64(13_000_000); runtime.GOOS == "linux" && info.Size() > limit {
		t.Errorf("the wheel has %d bytes, more than %d", info.Size(), limit)
	}
}

// pythons installs with each version of Python on this machine, by the pip that comes with it; in the short form, with
// the oldest and the newest.
func (k *wheelKit) pythons(t *testing.T) {
	var found []string
	for minor := 9; minor <= 14; minor++ {
		python, err := wheelFindPython(t, minor)
		if err != nil {
			t.Logf("Python 3.%d was not tried: %v", minor, err)
			continue
		}
		found = append(found, python)
	}
	if len(found) == 0 {
		t.Fatal("there is no Python here")
	}
	if testing.Short() && len(found) > 2 {
		found = []string{found[0], found[len(found)-1]}
	}
	for _, base := range found {
		t.Run(filepath.Base(base), func(t *testing.T) {
			python, env := k.venv(t, base), wheelEnv(t)
			wheelRun(t, env, python, k.pip("nbduet")...)
			bin := filepath.Dir(python)
			k.says(t, env, filepath.Join(bin, "nbduet"))
			k.says(t, env, python, "-m", "nbduet")
			// The command is the program itself, not a Python script.
			head, err := os.ReadFile(filepath.Join(bin, "nbduet"))
			must.NoError(t, err, must.Sprint("the command is a script"))
			test.False(t, bytes.HasPrefix(head, []byte("#!")), test.Sprint("the command is a script"))
			wheelRun(t, env, python, "-m", "pip", "uninstall", "-y", "nbduet")
			if _, err := os.Stat(filepath.Join(bin, "nbduet")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the command is there after pip has removed the package: %v", err)
			}
		})
	}
}

// wheelFindPython finds a version of Python that can make virtual environments with pip.
func wheelFindPython(t *testing.T, minor int) (string, error) {
	t.Helper()
	name := fmt.Sprintf("python3.%d", minor)
	var all []string
	if path, err := exec.LookPath(name); err == nil {
		all = append(all, path)
	}
	if home, err := os.UserHomeDir(); err == nil {
		more, err := filepath.Glob(filepath.Join(home, ".pyenv", "versions", fmt.Sprintf("3.%d.*", minor), "bin", name))
		if err != nil {
			return "", err
		}
		all = append(all, more...)
	}
	// A program in PATH may be a script that looks for a version that is not installed.
	for _, path := range all {
		if exe, _, err := wheelTry(t, wheelEnv(t), path, "-c", "import ensurepip, venv, sys; print(sys.executable)"); err == nil {
			return exe, nil
		}
	}
	return "", fmt.Errorf("of %q none makes environments", all)
}

// schemes checks that the module starts the program that was installed with it, wherever that was, and not another one
// of its name in PATH or in the folders of the other schemes.
func (k *wheelKit) schemes(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "nbduet"), []byte("#!/bin/sh\necho another\n"), 0o700); err != nil { //nolint:gosec // it has to be executable
		t.Fatal(err)
	}
	env := wheelEnv(t)
	env = append(env, "PATH="+other+":/usr/bin:/bin")
	if said := wheelRun(t, env, "/bin/sh", "-c", "nbduet --version"); said != "another" {
		t.Fatalf("the other of its name says %q", said)
	}
	find := []string{"-c", "import nbduet; print(nbduet.find_nbduet_bin())"}
	owns := func(t *testing.T, env []string, python, want string) {
		t.Helper()
		k.says(t, env, python, "-m", "nbduet")
		if got := wheelRun(t, env, python, find...); got != want {
			t.Errorf("it finds %s, want %s", got, want)
		}
	}
	venv := k.python
	wheelRun(t, env, venv, k.pip("nbduet")...)
	t.Run("venv", func(t *testing.T) { owns(t, env, venv, filepath.Join(filepath.Dir(venv), "nbduet")) })

	t.Run("user", func(t *testing.T) {
		home := t.TempDir()
		env := append(slices.Clone(env), "PYTHONUSERBASE="+home, "PIP_BREAK_SYSTEM_PACKAGES=1")
		wheelRun(t, env, k.base, k.pip("--user", "nbduet")...)
		owns(t, env, k.base, filepath.Join(home, "bin", "nbduet"))
	})
	// The module in another folder is run from an environment that has the program too.
	for _, c := range []struct{ option, packages string }{{"--target", ""}, {"--prefix", "lib/python*/site-packages"}} {
		t.Run(c.option[2:], func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "there")
			wheelRun(t, env, venv, k.pip("--ignore-installed", c.option, dir, "nbduet")...)
			packages, err := filepath.Glob(filepath.Join(dir, c.packages))
			must.NoError(t, err, must.Sprint("installed nothing"))
			must.SliceNotEmpty(t, packages, must.Sprint("installed nothing"))
			owns(t, append(slices.Clone(env), "PYTHONPATH="+packages[0]), venv, filepath.Join(dir, "bin", "nbduet"))
		})
	}
	t.Run("link", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(filepath.Dir(filepath.Dir(venv)), link); err != nil {
			t.Fatal(err)
		}
		owns(t, env, filepath.Join(link, "bin", "python"), filepath.Join(link, "bin", "nbduet"))
	})
}

// wheelBase returns a Python that is not a virtual environment.
func wheelBase(t *testing.T) string {
	t.Helper()
	for minor := 14; minor >= 9; minor-- {
		if python, err := wheelFindPython(t, minor); err == nil {
			return python
		}
	}
	t.Fatal("there is no Python here")
	return ""
}

// module checks that python -m nbduet behaves like the program for its caller: arguments, streams and status, even on
// Windows, where it starts a new process.
func (k *wheelKit) module(t *testing.T) {
	env, dir := wheelEnv(t), t.TempDir()
	wheelRun(t, env, k.python, k.pip("--target", dir, "nbduet")...)
	env = append(env, "PYTHONPATH="+dir)
	const said = "#!/bin/sh\ncat\necho \"$@\" >&2\nexit 7\n"
	for path, name := range map[string]string{"bin": "nbduet", "Scripts": "nbduet.exe"} {
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, name), []byte(said), 0o700); err != nil { //nolint:gosec // it has to be executable
			t.Fatal(err)
		}
	}
	const windows = `import runpy, subprocess, sys, sysconfig; sysconfig.get_config_vars(); sys.platform = "win32"; sys.argv[0] = ""; runpy.run_module("nbduet", run_name="__main__")`
	for system, args := range map[string][]string{"Unix": {"-m", "nbduet"}, "Windows": {"-c", windows}} {
		cmd := exec.CommandContext(t.Context(), k.python, append(args, "--a", "b c", "")...)
		var out, log bytes.Buffer
		cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, strings.NewReader("some input"), &out, &log
		var exit *exec.ExitError
		err := cmd.Run()
		must.True(t, errors.As(err, &exit), must.Sprint(system))
		test.Eq(t, 7, exit.ExitCode(), test.Sprint(system))
		test.Eq(t, "some input", out.String(), test.Sprint(system))
		test.Eq(t, "--a b c \n", log.String(), test.Sprint(system))
	}
}

// removed checks that a module without its program says so in one line and runs no other program.
func (k *wheelKit) removed(t *testing.T) {
	bin := filepath.Dir(k.python)
	env := wheelEnv(t, "PATH="+bin)
	wheelRun(t, env, k.python, k.pip("nbduet")...)
	if err := os.Remove(filepath.Join(bin, "nbduet")); err != nil {
		t.Fatal(err)
	}
	_, said, err := wheelTry(t, env, k.python, "-m", "nbduet", "--version")
	var exit *exec.ExitError
	must.True(t, errors.As(err, &exit))
	test.Eq(t, 1, exit.ExitCode())
	test.Eq(t, 1, strings.Count(said, "\n"))
	test.StrContains(t, said, "looked for "+filepath.Join(bin, "nbduet"))
}

// uv checks that uvx runs it, and that uv installs it as a tool and into an environment.
func (k *wheelKit) uv(t *testing.T) {
	top, err := lab.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	wheelRun(t, os.Environ(), filepath.Join(top, "e2e", "scripts", "alone.sh"), "wheel-test", filepath.Join(top, "packaging", "python", "tools.sh"), "test")
	bin := filepath.Join(top, ".cache", "wheel-test", "bin")
	uv, dir := filepath.Join(bin, "uv"), t.TempDir()
	env := wheelEnv(t,
		"UV_CACHE_DIR="+filepath.Join(dir, "cache"), "UV_OFFLINE=1", "UV_NO_CONFIG=1", "UV_PYTHON_DOWNLOADS=never", "UV_PYTHON="+k.base,
		"UV_TOOL_DIR="+filepath.Join(dir, "tools"), "UV_TOOL_BIN_DIR="+filepath.Join(dir, "bin"), "UV_NO_INDEX=1", "UV_FIND_LINKS="+k.dir, "UV_LINK_MODE=copy",
	)
	k.says(t, env, filepath.Join(bin, "uvx"), "nbduet")
	k.says(t, env, filepath.Join(bin, "uvx"), "nbduet@0.1.0")
	k.says(t, env, uv, "tool", "run", "--from", k.program, "nbduet")
	k.says(t, env, uv, "run", "--no-project", "--with", "nbduet", "python", "-m", "nbduet")
	wheelRun(t, env, uv, "tool", "install", "nbduet")
	k.says(t, env, filepath.Join(dir, "bin", "nbduet"))
	works(t, []string{filepath.Join(dir, "bin", "nbduet")})
	venv := filepath.Join(dir, "venv")
	wheelRun(t, env, uv, "venv", venv)
	wheelRun(t, env, uv, "pip", "install", "--python", venv, "nbduet")
	k.says(t, env, filepath.Join(venv, "bin", "python"), "-m", "nbduet")
	target := filepath.Join(dir, "target")
	wheelRun(t, env, uv, "pip", "install", "--target", target, "nbduet")
	k.says(t, append(slices.Clone(env), "PYTHONPATH="+target), filepath.Join(venv, "bin", "python"), "-m", "nbduet")
	// A home that is not writable, as in some containers.
	k.says(t, append(slices.Clone(env), "HOME=/proc"), filepath.Join(bin, "uvx"), "nbduet")
}

// home checks that the command and the module work if the home folder is not writable. /proc is not, even for root.
func (k *wheelKit) home(t *testing.T) {
	env := append(wheelEnv(t), "HOME=/proc")
	wheelRun(t, env, k.python, k.pip("nbduet")...)
	for _, command := range [][]string{{filepath.Join(filepath.Dir(k.python), "nbduet")}, {k.python, "-m", "nbduet"}} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		var log bytes.Buffer
		cmd.Env, cmd.Dir, cmd.Stderr = env, t.TempDir(), &log
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n")
		line, rerr := bufio.NewReader(out).ReadBytes('\n')
		var answer struct {
			Result struct {
				ServerInfo struct{ Name, Version string } `json:"serverInfo"`
			} `json:"result"`
		}
		err = errors.Join(err, rerr, json.Unmarshal(line, &answer), in.Close(), cmd.Wait())
		must.NoError(t, err, must.Sprint(command, line))
		test.StrHasPrefix(t, "0.1.0", answer.Result.ServerInfo.Version, test.Sprint(command, line))
	}
}

// serves checks that the command and the module work with a server.
func (k *wheelKit) serves(t *testing.T) {
	wheelRun(t, wheelEnv(t), k.python, k.pip("nbduet")...)
	works(t, []string{filepath.Join(filepath.Dir(k.python), "nbduet")})
	works(t, []string{k.python, "-m", "nbduet"})
}

// besideJupyterLab checks that the extra for Jupyter enables the extension in an environment that has JupyterLab.
func (*wheelKit) besideJupyterLab(t *testing.T) {
	in, err := embedded.Install(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := append(wheelEnv(t), in.Env...)
	out, said, err := wheelTry(t, env, in.Python, "-m", "jupyter_server.extension.serverextension", "list")
	said = strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(said + out)
	must.NoError(t, err)
	test.StrContains(t, said, "nbduet_jupyter enabled")
	test.StrContains(t, said, "nbduet_jupyter  OK")
	if said := wheelRun(t, env, in.Program, "--version"); !strings.HasPrefix(said, "nbduet "+embedded.Version+" (") {
		t.Errorf("the program is %q", said)
	}
}
