package skill_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
	"github.com/nbduet/nbduet/cmd/nbduet/skill"
	"github.com/nbduet/nbduet/skills"
)

// The skill is printed, or written where clients look for it. A second time nothing is written, and a person's changes to it
// are kept.
func TestSkill(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{}
	m := clients.Machine{Env: func(name string) string { return env[name] }, Home: home, Look: func(string) (string, error) { return "", errors.New("none") }}
	run := func(write bool, args ...string) string {
		t.Helper()
		var out strings.Builder
		if err := (skill.Flags{Write: write}).Run(args, func() ([]string, error) { return clients.SkillFolders(m) }, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	read := func(file string) string {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	if got := run(false); got != skills.Notebook {
		t.Errorf("it prints %q", got)
	}
	if entries, _ := os.ReadDir(home); len(entries) > 0 {
		t.Errorf("printing made %v", entries)
	}
	claude, agents := filepath.Join(home, ".claude/skills/nbduet/SKILL.md"), filepath.Join(home, ".agents/skills/nbduet/SKILL.md")
	if got, want := run(true), "wrote "+agents+"\n"; got != want {
		t.Errorf("without Claude Code it says %q, not %q", got, want)
	}
	m.Look = func(string) (string, error) { return "/bin/claude", nil }
	if got, want := run(true), agents+" has this skill\nwrote "+claude+"\n"; got != want {
		t.Errorf("it says %q, not %q", got, want)
	}
	test.Eq(t, skills.Notebook, read(claude), test.Sprint("the files have another skill"))
	test.Eq(t, skills.Notebook, read(agents), test.Sprint("the files have another skill"))
	if err := os.WriteFile(claude, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := run(true), agents+" has this skill\nwrote "+claude+"; its backup is "+claude+".backup\n"; got != want {
		t.Errorf("it says %q, not %q", got, want)
	}
	test.Eq(t, skills.Notebook, read(claude), test.Sprint("the person's file is not kept"))
	test.Eq(t, "mine", read(claude+".backup"), test.Sprint("the person's file is not kept"))
	env["CLAUDE_CONFIG_DIR"] = filepath.Join(home, "my cläude")
	run(true)
	if read(filepath.Join(home, "my cläude/skills/nbduet/SKILL.md")) != skills.Notebook {
		t.Error("Claude Code's folder is another one")
	}
	run(true, filepath.Join(home, "x"))
	if read(filepath.Join(home, "x/nbduet/SKILL.md")) != skills.Notebook {
		t.Error("the folder that was named has no skill")
	}
}

func TestSkillRefused(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		write bool
		says  string
	}{{false, "--write"}, {true, file}} {
		var out strings.Builder
		err := (skill.Flags{Write: c.write}).Run([]string{file}, nil, &out)
		must.Error(t, err)
		test.StrContains(t, err.Error(), c.says)
		test.LessEq(t, 0, out.Len())
	}
}
