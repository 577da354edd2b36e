package packages

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// npmPlatforms are the names of platforms: Go's name to Node's.
var npmPlatforms = map[string]string{
	"linux/amd64": "linux-x64", "linux/arm64": "linux-arm64", "darwin/amd64": "darwin-x64",
	"darwin/arm64": "darwin-arm64", "windows/amd64": "win32-x64", "windows/arm64": "win32-arm64",
}

// npmTarballs returns all npm packages of the release: those of this machine, and for other platforms some without a
// working program.
func npmTarballs(t *testing.T) []string {
	t.Helper()
	r, dir := built(t), t.TempDir()
	here := npmPlatforms[runtime.GOOS+"/"+runtime.GOARCH]
	list := []string{one(t, r.Packages, "nbduet-"+r.Version+".tgz"), one(t, r.Packages, "nbduet-"+here+"-"+r.Version+".tgz")}
	none := filepath.Join(dir, "none")
	must.NoError(t, os.WriteFile(none, []byte("no program\n"), 0o600))
	for platform, name := range npmPlatforms {
		if name == here {
			continue
		}
		system, machine, _ := strings.Cut(platform, "/")
		if said, err := npmScript(t, "platform.sh", system, machine, none, r.Version, dir); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		list = append(list, one(t, dir, "nbduet-"+name+"-"+r.Version+".tgz"))
	}
	return list
}

// npmScript runs a script that packs and returns its output.
func npmScript(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(kit.Root, "packaging", "npm", name), args...).CombinedOutput()
	return string(out), err
}

// npmEnv returns the environment of a user who cannot write to their home, with the tests' registry.
func npmEnv(t *testing.T, registry string) []string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	must.NoError(t, os.WriteFile(home, nil, 0o400)) // a file, in which nothing can be created
	return []string{"HOME=" + home, "npm_config_cache=" + t.TempDir(), "npm_config_registry=" + registry, "npm_config_update_notifier=false"}
}

// npmInstalled installs nbduet into a folder with further arguments of npm and returns the launcher.
func npmInstalled(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "npm", append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "nbduet"}, args...)...)
	cmd.Env = append(lab.CleanEnv(), npmEnv(t, npmRegistry(t, npmTarballs(t)))...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "node_modules", "nbduet", "bin", "nbduet.js")
}

// npx fetches the package and its program without writing to the user's home.
func TestNPX(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := npmEnv(t, npmRegistry(t, npmTarballs(t)))
	works(t, []string{"sh", "-c", `cd "$1" && exec npx -y nbduet`, "sh", dir}, env...)
	npx := exec.CommandContext(t.Context(), "npx", "-y", "nbduet", "--version")
	npx.Dir, npx.Env = dir, append(lab.CleanEnv(), env...)
	said, err := npx.Output()
	must.NoError(t, err)
	if want := "nbduet " + built(t).Version + " "; !strings.HasPrefix(string(said), want) {
		t.Errorf("the version is %q, not %q", said, want)
	}
	left, err := os.ReadDir(dir)
	must.NoError(t, err)
	if len(left) > 0 {
		t.Errorf("npx leaves %v", left)
	}
}

// The launcher depends on the packages of all platforms; each names its platform, and none has install scripts.
func TestNPMPackages(t *testing.T) {
	version := built(t).Version
	want := make(map[string]any)
	for _, tarball := range npmTarballs(t) {
		files, manifest := npmPackage(t, tarball)
		name := manifest["name"].(string)
		test.EqOp[any](t, version, manifest["version"], test.Sprint(name))
		test.EqOp[any](t, "MIT", manifest["license"], test.Sprint(name))
		must.Nil(t, manifest["scripts"], must.Sprint(name))
		test.SliceNotEmpty(t, files["LICENSE"].Content, test.Sprint(name))
		program := "bin/nbduet"
		if name == "nbduet" {
			program = "bin/nbduet.js"
		} else {
			want[name] = version
			system, machine, _ := strings.Cut(strings.TrimPrefix(name, "@nbduet/"), "-")
			test.Eq(t, fmt.Sprintf("[%s] [%s]", system, machine), fmt.Sprint(manifest["os"], manifest["cpu"]), test.Sprint(name))
			test.EqOp[any](t, true, manifest["preferUnplugged"], test.Sprint(name))
			if system == "win32" {
				program = "bin/nbduet.exe"
			}
		}
		if files[program].Mode != 0o755 {
			t.Errorf("%s has %s with the mode %o", name, program, files[program].Mode)
		}
		if len(files) != 4 {
			t.Errorf("%s has the files %q", name, slices.Sorted(maps.Keys(files)))
		}
	}
	_, manifest := npmPackage(t, one(t, built(t).Packages, "nbduet-"+version+".tgz"))
	test.EqOp[any](t, "io.github.nbduet/nbduet", manifest["mcpName"])
	test.Eq(t, fmt.Sprint(want), fmt.Sprint(manifest["optionalDependencies"]))
	test.MapLen(t, 6, want)
}

// The same contents make the same packages; an unsupported platform is refused in one line.
func TestNPMPacking(t *testing.T) {
	r, dir := built(t), t.TempDir()
	program := one(t, r.Dist, fmt.Sprintf("nbduet_%s_%s*/nbduet", runtime.GOOS, runtime.GOARCH))
	for _, args := range [][]string{{"main.sh", r.Version, dir}, {"platform.sh", runtime.GOOS, runtime.GOARCH, program, r.Version, dir}, {"platform.sh", "darwin", "all", program, r.Version, dir}} {
		said, err := npmScript(t, args[0], args[1:]...)
		must.NoError(t, err, must.Sprint(args))
		must.Eq(t, "", said, must.Sprint(args))
	}
	made, err := os.ReadDir(dir)
	must.NoError(t, err)
	if len(made) != 2 {
		t.Errorf("packed are %v", made)
	}
	for _, file := range made {
		again, err := os.ReadFile(filepath.Join(dir, file.Name()))
		must.NoError(t, err)
		first, err := os.ReadFile(filepath.Join(r.Packages, file.Name()))
		must.NoError(t, err)
		if !bytes.Equal(first, again) {
			t.Errorf("%s is another, packed again", file.Name())
		}
	}
	for want, args := range map[string][]string{
		"plan9/amd64": {"platform.sh", "plan9", "amd64", program, r.Version, dir},
		`"v1.2.3"`:    {"main.sh", "v1.2.3", dir},
		`"1.2"`:       {"platform.sh", "linux", "amd64", program, "1.2", dir},
	} {
		said, err := npmScript(t, args[0], args[1:]...)
		must.Error(t, err, must.Sprint(args))
		test.StrContains(t, said, want, test.Sprint(args))
		test.Eq(t, 1, strings.Count(said, "\n"), test.Sprint(args))
	}
}

// Without a program, the launcher says in one line what to do.
func TestNPMWithoutProgram(t *testing.T) {
	t.Parallel()
	fake := filepath.Join(t.TempDir(), "fake.cjs")
	must.NoError(t, os.WriteFile(fake, []byte(`Object.defineProperty(process, "platform", { value: "freebsd" });`), 0o600))
	for _, c := range []struct {
		name    string
		install []string
		node    []string
		env     string
		want    string
	}{
		{"another platform", nil, []string{"--require", fake}, "", "there is no package for freebsd-"},
		{"no optional dependencies", []string{"--omit=optional"}, nil, "", "is missing: install nbduet again"},
		{"a program that is not there", nil, nil, "NBDUET_BINARY=" + filepath.Join(t.TempDir(), "gone"), "gone cannot be run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "node", append(c.node, npmInstalled(t, c.install...), "--version")...)
			cmd.Env = append(lab.CleanEnv(), c.env)
			out, err := cmd.CombinedOutput()
			said := string(out)
			var exit *exec.ExitError
			must.True(t, errors.As(err, &exit))
			test.Eq(t, 1, exit.ExitCode())
			test.StrHasPrefix(t, "nbduet: ", said)
			test.StrContains(t, said, c.want)
			test.Eq(t, 1, strings.Count(said, "\n"))
		})
	}
}

// The layout of pnpm works: each package lies beside its dependencies in its own folder, and others link to it.
func TestNPMLinkedLayout(t *testing.T) {
	flat := filepath.Dir(filepath.Dir(filepath.Dir(npmInstalled(t))))
	modules := filepath.Join(t.TempDir(), "node_modules")
	store := filepath.Join(modules, ".pnpm", "nbduet@"+built(t).Version, "node_modules")
	must.NoError(t, os.MkdirAll(store, 0o755))
	for _, name := range []string{"nbduet", "@nbduet"} {
		must.NoError(t, os.Rename(filepath.Join(flat, name), filepath.Join(store, name)))
	}
	must.NoError(t, os.Symlink(filepath.Join(store, "nbduet"), filepath.Join(modules, "nbduet")))
	said, err := exec.CommandContext(t.Context(), "node", filepath.Join(modules, "nbduet", "bin", "nbduet.js"), "--version").Output()
	must.NoError(t, err)
	if !strings.HasPrefix(string(said), "nbduet "+built(t).Version) {
		t.Errorf("the version is %q", said)
	}
}

// The launcher passes on signals and exits as the program does.
func TestNPMEnd(t *testing.T) {
	t.Parallel()
	launcher := npmInstalled(t)
	for _, c := range []struct {
		name, program string
		signal        syscall.Signal // after "ready", to the whole group as a terminal sends it; 0 means none
		said          string
		code          int            // or
		by            syscall.Signal // the signal that ended it
	}{
		{name: "a status", program: "exit 7", code: 7},
		{name: "killed", program: "kill -KILL $$", by: syscall.SIGKILL},
		{name: "SIGINT", program: "trap 'exit 3' INT", signal: syscall.SIGINT, said: "ready\n", code: 3},
		{name: "SIGTERM", program: "trap 'exit 4' TERM", signal: syscall.SIGTERM, said: "ready\n", code: 4},
		{name: "SIGHUP", program: ":", signal: syscall.SIGHUP, said: "ready\n", by: syscall.SIGHUP},
		{name: "once", program: "trap 'echo int; sleep 1; exit 5' INT", signal: syscall.SIGINT, said: "ready\nint\n", code: 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "program")
			must.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+c.program+"\necho ready\nfor i in $(seq 200); do sleep 0.1; done\n"), 0o700))
			cmd := exec.CommandContext(t.Context(), "node", launcher)
			cmd.Env = append(lab.CleanEnv(), "NBDUET_BINARY="+program)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var log bytes.Buffer
			cmd.Stderr = &log
			stdout, err := cmd.StdoutPipe()
			must.NoError(t, err)
			must.NoError(t, cmd.Start())
			var said bytes.Buffer
			if c.signal != 0 {
				line := make([]byte, len("ready\n"))
				_, err := stdout.Read(line)
				must.NoError(t, err)
				said.Write(line)
				must.NoError(t, syscall.Kill(-cmd.Process.Pid, c.signal))
			}
			_, err = said.ReadFrom(stdout)
			must.NoError(t, err)
			err = cmd.Wait()
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			test.False(t, c.by != 0 && (!status.Signaled() || status.Signal() != c.by), test.Sprint(err))
			test.False(t, c.by == 0 && status.ExitStatus() != c.code, test.Sprint(err))
			test.Eq(t, c.said, said.String(), test.Sprint(err))
		})
	}
}
