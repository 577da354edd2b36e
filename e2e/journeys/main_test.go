package journeys

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
)

// What all tests of this package share, made by TestMain.
var (
	jupyter *lab.Lab
	// buildDir is where what the tests build is put.
	buildDir string
)

// binary builds the program with the race detector, once.
var binary = sync.OnceValues(func() (string, error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return "", err
	}
	return agent.Build(root, buildDir)
})

func TestMain(m *testing.M) {
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
	if buildDir, err = os.MkdirTemp("", "nbduet-bin-"); err != nil {
		return 1, err
	}
	defer func() { fail(os.RemoveAll(buildDir)) }()
	if jupyter, err = lab.Start(context.Background(), lab.Options{}); err != nil {
		return 1, err
	}
	defer func() { fail(jupyter.Stop()) }()
	code = m.Run()
	fail(endMembers())
	fail(jupyter.Stop())
	fail(goleak.Find())
	return code, err
}

// must ends the test where err is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
