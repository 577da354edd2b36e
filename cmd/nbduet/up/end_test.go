package up_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nbduet/nbduet/cmd/nbduet/up"
)

// A server that does not end by itself is killed where somebody asks twice.
func TestHurry(t *testing.T) {
	m := newMachine(t)
	stubborn := complete
	stubborn.Server = "stubborn"
	m.has("python3", stubborn)
	r := m.up(up.Up{})
	m.serving(r)
	self, err := os.FindProcess(os.Getpid())
	must(t, err)
	must(t, self.Signal(syscall.SIGTERM))
	m.until(r, func() bool { return strings.Contains(r.errs.String(), "ending JupyterLab") })
	must(t, self.Signal(syscall.SIGTERM))
	<-r.ended
	if r.err != nil || !strings.HasSuffix(r.errs.String(), "✓ ended\n") {
		t.Errorf("it ended with %v, and said %s", r.err, r.errs)
	}
}

// A server that has not heard that it is to end is asked again: were it killed, its file would stay.
func TestDeaf(t *testing.T) {
	m := newMachine(t)
	deaf := complete
	deaf.Server = "deaf"
	m.has("python3", deaf)
	r := m.up(up.Up{})
	m.serving(r)
	must(t, r.end())
	m.nothingRuns()
}

// The browser gets a file of Jupyter's to open, which keeps the token out of the arguments, and only where there is a screen.
func TestBrowser(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	opened := filepath.Join(m.dir, "opened")
	must(t, os.WriteFile(filepath.Join(m.dir, "bin", "xdg-open"), []byte("#!/bin/sh\necho \"$@\" >"+opened+".new\n/bin/mv "+opened+".new "+opened+"\n"), 0o700)) //nolint:gosec // it has to be executable
	m.env["DISPLAY"] = ":0"
	first := m.up(up.Up{})
	m.serving(first)
	if args := m.records("servers")[0]; strings.Contains(args, "open_browser") {
		t.Errorf("the server's arguments were %s", args)
	}
	files, err := filepath.Glob(filepath.Join(m.dir, "runtime", "jpserver-*.json"))
	must(t, err)
	page := strings.TrimSuffix(files[0], ".json") + "-open.html"
	must(t, os.WriteFile(page, nil, 0o600))
	second := func(u up.Up) {
		r := m.up(u)
		<-r.ended
		must(t, r.err)
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
			if got := strings.TrimSpace(string(text)); got != page {
				t.Errorf("opened was %s", got)
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	must(t, first.end())
}
