package e2e_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// What all tests of this package share, started by TestMain.
var (
	jupyter  *lab.Lab
	chromium *browser.Browser
)

// buildDir is where binary puts the program; TestMain makes and removes it.
var buildDir string

// binary builds the program with the race detector, once.
var binary = sync.OnceValues(func() (string, error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return "", err
	}
	return agent.Build(root, buildDir)
})

func TestMain(m *testing.M) {
	jupytertest.AlwaysReal()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run starts what the tests share, runs them, and stops it again.
func run(m *testing.M) (code int, err error) {
	fail := func(what error) {
		if err == nil {
			err = what
		}
	}
	// Programs with the race detector rest for a second before they end.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=10"); err != nil {
		return 1, err
	}
	release, err := claimArtifacts(artifacts)
	if err != nil {
		return 1, err
	}
	defer func() { fail(release()) }()
	if buildDir, err = os.MkdirTemp("", "nbduet-bin-"); err != nil {
		return 1, err
	}
	defer func() { fail(os.RemoveAll(buildDir)) }()
	if jupyter, err = lab.Start(context.Background(), lab.Options{}); err != nil {
		return 1, err
	}
	defer func() { fail(jupyter.Stop()) }()
	if chromium, err = browser.Launch(); err != nil {
		return 1, err
	}
	defer func() { fail(chromium.Close()) }()
	code = m.Run()
	fail(chromium.Close())
	fail(jupyter.Stop())
	fail(goleak.Find())
	return code, err
}
