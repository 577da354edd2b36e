package packages

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/lab"
)

// make wheel uses the version of the commit's tag, or names the commit, or uses VERSION. A fake go, which builds
// nothing, shows the version that the program was given.
func TestWheelsAreOfTheTag(t *testing.T) {
	top, err := lab.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	clone, bin := filepath.Join(dir, "clone"), filepath.Join(dir, "bin")
	for _, folder := range []string{filepath.Join("packaging", "python"), filepath.Join("cmd", "jupyter-extension"), filepath.Join("cmd", "nbduet", "labextension"), filepath.Join("e2e", "scripts"), "skills"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(clone, folder), 0o700), os.CopyFS(filepath.Join(clone, folder), os.DirFS(filepath.Join(top, folder)))); err != nil {
			t.Fatal(err)
		}
	}
	license, err := os.ReadFile(filepath.Join(top, "LICENSE"))
	for name, text := range map[string]string{
		filepath.Join(clone, "LICENSE"): string(license), filepath.Join(clone, ".gitignore"): ".cache\n",
		filepath.Join(bin, "go"): `#!/bin/sh
case $1.$2 in
env.GOOS) echo linux ;;
env.GOARCH) echo amd64 ;;
build.*) printf %s "$*" >"$(printf %s "$*" | sed 's/.*-o \([^ ]*\).*/\1/')" ;;
esac
`,
	} {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o700)) //nolint:gosec // one of them is a program
	}
	err = errors.Join(err, os.Symlink(filepath.Join(top, ".cache"), filepath.Join(clone, ".cache")))
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PYTHON="+wheelPython(t), "VERSION=", "SOURCE_DATE_EPOCH=", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	git := func(args ...string) string { return wheelRun(t, env, "git", append([]string{"-C", clone}, args...)...) }
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "all")
	commit := git("rev-parse", "--short=7", "HEAD")
	for _, c := range []struct{ tag, version, given, want string }{
		{"", "", "0.0.1-dev.g" + commit, "0.0.1.dev0+g" + commit},
		{"nightly", "", "0.0.1-dev.g" + commit, "0.0.1.dev0+g" + commit},
		{"v0.3.0-rc.2", "", "0.3.0-rc.2", "0.3.0rc2"},
		{"", "0.4.0", "0.4.0", "0.4.0"},
	} {
		if c.tag != "" {
			git("tag", c.tag)
		}
		out := filepath.Join(t.TempDir(), "dist")
		made := wheelRun(t, append(env, "VERSION="+c.version), filepath.Join(clone, "packaging", "python", "wheels.sh"), out)
		const linux = "-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"
		program := filepath.Join(out, "nbduet-"+c.want+linux)
		if want := program + "\n" + filepath.Join(out, "nbduet_jupyter-"+c.want+"-py3-none-any.whl"); made != want {
			t.Fatalf("tag %q, VERSION %q: made\n%s\nwant\n%s", c.tag, c.version, made, want)
		}
		packed := openWheel(t, program)["nbduet-"+c.want+".data/scripts/nbduet"].text
		given := regexp.MustCompile(`main\.version=(\S+)`).FindSubmatch(packed)
		must.NotNil(t, given, must.Sprint(packed))
		test.Eq(t, c.given, string(given[1]), test.Sprint(packed))
	}
	if err := os.RemoveAll(filepath.Join(clone, ".git")); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(clone, "packaging", "python", "wheels.sh"), filepath.Join(dir, "none"))
	cmd.Env, cmd.Stderr = append(env, "GIT_CEILING_DIRECTORIES="+dir), &said
	err = cmd.Run()
	must.Error(t, err, must.Sprint("without git"))
	test.Eq(t, 1, strings.Count(said.String(), "\n"), test.Sprint("without git"))
	test.StrContains(t, said.String(), "name it, VERSION=0.1.0 for one", test.Sprint("without git"))
}
