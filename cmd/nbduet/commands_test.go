package main

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/skills"
)

// Each command has its own flags and help, and stands first.
func TestCommands(t *testing.T) {
	clean(t)
	for _, c := range commands() {
		for _, flag := range []string{"-h", "--help"} {
			o := start(t, found(), c.name, flag)
			if o.code != exitOK || o.stderr != "" || !strings.HasPrefix(o.stdout, "Usage: nbduet "+c.name) || strings.Contains(o.stdout, "--session-timeout") {
				t.Errorf("%s %s prints %s%s", c.name, flag, o.stdout, o.stderr)
			}
			for line := range strings.Lines(o.stdout) {
				if len(line) > 82 {
					t.Errorf("%s %s prints the long line %s", c.name, flag, line)
				}
			}
		}
		start(t, found(), c.name, "--nosuch").is(t, exitUsage, "--nosuch", "nbduet "+c.name+" --help")
		start(t, found(), "--read-only", c.name).is(t, exitUsage, c.name, "stand first")
		if o := start(t, found(), "--help"); !strings.Contains(o.stdout, "\n  "+c.name+" ") {
			t.Errorf("the help has no %s", c.name)
		}
	}
	start(t, found(), "skil").is(t, exitUsage, `did you mean "skill"?`)
	start(t, found(), "config").is(t, exitUsage, "for which client")
	start(t, found(), "up", "/no such folder").is(t, exitUsage, "/no such folder")
	start(t, found(), "skill", "x").is(t, exitUsage, "--write")
	if o := start(t, found(), "skill"); o.stdout != skills.Notebook {
		t.Errorf("nbduet skill prints %s", o.stdout)
	}
}
