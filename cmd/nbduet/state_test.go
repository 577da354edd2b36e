package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Activity is kept in the user's state directory unless another file is named; one that is named must be usable, the
// usual one need not be.
func TestStateFile(t *testing.T) {
	clean(t)
	home, state, text := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func(stateHome string, args ...string) outcome {
		t.Helper()
		t.Setenv("HOME", home)
		t.Setenv("XDG_STATE_HOME", stateHome)
		return start(t, found(jupyter.Running{URL: "http://127.0.0.1:1", Token: "x"}), args...)
	}
	exists := func(path string) {
		t.Helper()
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	begin("").is(t, exitOK)
	exists(filepath.Join(home, ".local/state/nbduet/activity.db"))
	begin("relative").is(t, exitOK)
	begin(state).is(t, exitOK)
	exists(filepath.Join(state, "nbduet/activity.db"))
	named := filepath.Join(t.TempDir(), "new", "my.db")
	begin(state, "--state", named).is(t, exitOK)
	exists(named)
	begin(state, "--state", filepath.Join(text, "x.db")).is(t, exitUsage, "--state", "x.db")
	once := func(o outcome, why string) {
		t.Helper()
		o.is(t, exitOK, "nothing is remembered", "until this program ends", "--state", why)
		if n := strings.Count(o.stderr, "nothing is remembered"); n != 1 {
			t.Errorf("it says so %d times: %s", n, o.stderr)
		}
	}
	once(begin(filepath.Join(text, "x")), text)
	home = ""
	once(begin(""), "HOME")
	home = "relative"
	once(begin(""), "relative")
	home = text
	once(begin(""), text)
	home = "/proc" // nobody can make a folder there
	once(begin(""), "/proc")
	begin(filepath.Join(text, "x"), "--toolsets=notebook").is(t, exitOK)
}

func TestStateFileOfSystems(t *testing.T) {
	for _, c := range []struct {
		goos, home string
		env        map[string]string
		want       string
	}{
		{"linux", "/home/ada", nil, "/home/ada/.local/state/nbduet/activity.db"},
		{"freebsd", "/home/ada", map[string]string{"XDG_STATE_HOME": "/s/"}, "/s/nbduet/activity.db"},
		{"linux", "/home/ada", map[string]string{"XDG_STATE_HOME": "s", "LocalAppData": "/l"}, "/home/ada/.local/state/nbduet/activity.db"},
		{"linux", "", nil, ""},
		{"linux", "home", nil, ""},
		{"darwin", "/Users/ada", nil, "/Users/ada/.local/state/nbduet/activity.db"},
		{"windows", `C:\Users\ada`, map[string]string{"LocalAppData": `D:\Local\`}, `D:\Local\nbduet\activity.db`},
		{"windows", `C:\Users\ada`, nil, `C:\Users\ada\AppData\Local\nbduet\activity.db`},
		{"windows", "C:/Users/ada", map[string]string{"LocalAppData": "Local"}, `C:\Users\ada\AppData\Local\nbduet\activity.db`},
		{"windows", `C:\Users\ada`, map[string]string{"XDG_STATE_HOME": "E:/s", "LocalAppData": `D:\Local`}, `E:\s\nbduet\activity.db`},
		{"windows", `C:\Users\ada`, map[string]string{"LocalAppData": `\\server\home`}, `\\server\home\nbduet\activity.db`},
		{"windows", "", map[string]string{"XDG_STATE_HOME": "/s"}, ""},
	} {
		home := func() (string, error) {
			if c.home == "" {
				return "", errors.New("no home")
			}
			return c.home, nil
		}
		got, err := stateFile(c.goos, func(name string) string { return c.env[name] }, home)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s, %s, %v: %s, %v, want %s", c.goos, c.home, c.env, got, err, c.want)
		}
	}
}
