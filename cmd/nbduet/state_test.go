package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Activity is kept in the user's state directory unless another file is named. A named file must be usable, the default one
// need not be.
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
		o.is(t, exitOK, "activity is lost", "when this program ends", "--state", why)
		if n := strings.Count(o.stderr, "activity is lost"); n != 1 {
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
	home = "/proc" // folders cannot be created there
	once(begin(""), "/proc")
	begin(filepath.Join(text, "x"), "--toolsets=notebook").is(t, exitOK)
}
