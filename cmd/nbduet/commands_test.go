package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/doctor"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/skills"
)

// Each command has its own flags and help, and must be the first argument.
func TestCommands(t *testing.T) {
	clean(t)
	for _, c := range commands() {
		for _, flag := range []string{"-h", "--help"} {
			o := start(t, found(), c.name, flag)
			test.Eq(t, exitOK, o.code, test.Sprint(flag))
			test.Eq(t, "", o.stderr, test.Sprint(flag))
			test.StrHasPrefix(t, "Usage: nbduet "+c.name, o.stdout, test.Sprint(flag))
			test.StrNotContains(t, o.stdout, "--session-timeout", test.Sprint(flag))
		}
		start(t, found(), c.name, "--nosuch").is(t, exitUsage, "--nosuch", "nbduet "+c.name+" --help")
		start(t, found(), "--read-only", c.name).is(t, exitUsage, c.name, "come first")
		help := start(t, found(), "--help").stdout
		_, about, ok := strings.Cut(help, "\n  "+c.name+" ")
		if !ok {
			t.Errorf("the help has no %s", c.name)
		}
		about, _, _ = strings.Cut(about, "\n\n")
		for line := range strings.Lines(about) {
			if len(line) > 81 {
				t.Errorf("of %s, the help has the long line %s", c.name, line)
			}
		}
	}
	start(t, found(), "skil").is(t, exitUsage, `did you mean "skill"?`)
	start(t, found(), "config").is(t, exitUsage, "name a client")
	start(t, found(), "up", "/no such folder").is(t, exitUsage, "/no such folder")
	start(t, found(), "skill", "x").is(t, exitUsage, "--write")
	if o := start(t, found(), "skill"); o.stdout != skills.Notebook {
		t.Errorf("nbduet skill prints %s", o.stdout)
	}
}

// doctor has the server's flags. Its exit status is 0 without problems and otherwise 1, without an error message.
func TestDoctor(t *testing.T) {
	clean(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", home)
	s := jupytertest.Shared(t)
	here := found(jupyter.Running{URL: s.URL, Token: s.Token, Root: s.Root})
	var report doctor.Report
	o := start(t, here, "doctor", "--json")
	err := json.Unmarshal([]byte(o.stdout), &report)
	must.NoError(t, err)
	test.Eq(t, exitOK, o.code)
	test.True(t, report.OK)
	test.Eq(t, "", o.stderr)
	for _, args := range [][]string{{"--token=wr0ng", "--jupyter-url=" + s.URL}, {"--runtime-url=http://127.0.0.1:9", "--document-url=" + s.URL}} {
		o := start(t, here, append([]string{"doctor"}, args...)...)
		test.Eq(t, exitFault, o.code, test.Sprint(args))
		test.Eq(t, "", o.stderr, test.Sprint(args))
		test.StrContains(t, o.stdout, "✗", test.Sprint(args))
		test.StrNotContains(t, o.stdout, "wr0ng", test.Sprint(args))
	}
	start(t, here, "doctor", "x").is(t, exitUsage, "x")
	start(t, here, "doctor", "--jupyter-url=ftp://x").is(t, exitUsage, "ftp://x")
}
