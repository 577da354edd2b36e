package up_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/up"
)

// A server that does not end by itself is killed on a second request.
func TestHurry(t *testing.T) {
	m := newMachine(t)
	stubborn := complete
	stubborn.Server = "stubborn"
	m.has("python3", stubborn)
	r := m.up(up.Up{})
	m.serving(r)
	self, err := os.FindProcess(os.Getpid())
	must.NoError(t, err)
	must.NoError(t, self.Signal(syscall.SIGTERM))
	m.until(r, func() bool { return strings.Contains(r.errs.String(), "stopping JupyterLab") })
	must.NoError(t, self.Signal(syscall.SIGTERM))
	<-r.ended
	must.NoError(t, r.err)
	test.StrHasSuffix(t, "✓ ended\n", r.errs.String())
}

// A server that has missed the signal is asked again: if it were killed, its file would stay.
func TestDeaf(t *testing.T) {
	m := newMachine(t)
	deaf := complete
	deaf.Server = "deaf"
	m.has("python3", deaf)
	r := m.up(up.Up{})
	m.serving(r)
	must.NoError(t, r.end())
	m.nothingRuns()
}

// The browser opens a file that redirects to the page, which keeps the token out of its arguments, and only if there is a
// display.
func TestBrowser(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	opened := filepath.Join(m.dir, "opened")
	must.NoError(t, os.WriteFile(filepath.Join(m.dir, "bin", "xdg-open"), []byte("#!/bin/sh\necho \"$@\" >"+opened+".new\n/bin/mv "+opened+".new "+opened+"\n"), 0o700)) //nolint:gosec // it has to be executable
	m.env["DISPLAY"] = ":0"
	first := m.up(up.Up{})
	m.serving(first)
	if args := m.records("servers")[0]; strings.Contains(args, "open_browser") {
		t.Errorf("the server's arguments were %s", args)
	}
	notebook := filepath.Join(m.folder, "a.ipynb")
	must.NoError(t, os.WriteFile(notebook, nil, 0o600))
	second := func(u up.Up) {
		r := m.up(u, notebook)
		<-r.ended
		must.NoError(t, r.err)
	}
	second(up.Up{NoBrowser: true})
	m.env["DISPLAY"] = ""
	second(up.Up{})
	if _, err := os.Stat(opened); err == nil {
		t.Error("a browser was opened")
	}
	m.env["DISPLAY"] = ":0"
	second(up.Up{})
	for {
		text, err := os.ReadFile(opened)
		if err == nil {
			page := strings.TrimSpace(string(text))
			info, err := os.Stat(page)
			must.NoError(t, err)
			said, err := os.ReadFile(page)
			must.NoError(t, err)
			test.Eq(t, 0o600, info.Mode().Perm(), test.Sprint(page))
			test.True(t, regexp.MustCompile(`content="0;url=http://127\.0\.0\.1:\d+/lab/tree/a\.ipynb\?token=\w+"`).Match(said), test.Sprint(page))
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	must.NoError(t, first.end())
}
