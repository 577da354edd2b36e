package gateways

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
)

// buildDir is where the program is put that the tests build.
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
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	// Programs with the race detector rest for a second before they end.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=10"); err != nil {
		return 1, err
	}
	if buildDir, err = os.MkdirTemp("", "nbduet-bin-"); err != nil {
		return 1, err
	}
	code = m.Run()
	if err := os.RemoveAll(buildDir); err != nil {
		return 1, err
	}
	return code, goleak.Find()
}

// must ends the test where err is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
