// Package kit has the shared parts of the end-to-end tests: the program built once, one JupyterLab and one browser for
// all tests of a package, notebooks, agents, people in tabs and clients over HTTP.
//
// Each is started for the first test that needs it. Each test has its own notebook, and each tab is another person to
// JupyterLab. Screenshots are kept in e2e/artifacts, in a folder for each package and test.
package kit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/lab"
)

// Folders, set by Main.
var (
	// Root is the top of the repository.
	Root string
	// BuildDir is for files that the tests build; Main removes it.
	BuildDir string
	// LabOptions are of the shared JupyterLab; a package's TestMain may set them.
	LabOptions lab.Options
	// artifacts is for the screenshots of the package.
	artifacts string
)

// ends are the functions of AtEnd.
var ends struct {
	sync.Mutex
	list []func() error
}

// AtEnd makes Main call f after the tests, in reverse order of registration.
func AtEnd(f func() error) {
	ends.Lock()
	defer ends.Unlock()
	ends.list = append(ends.list, f)
}

// Main is the TestMain of a package: it runs the tests, stops the shared parts, fails if a goroutine is left, and exits.
func Main(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	// Programs with the race detector sleep for a second before they exit.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=10"); err != nil {
		return 1, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return 1, err
	}
	if Root, err = lab.RepoRoot(); err != nil {
		return 1, err
	}
	artifacts = filepath.Join(Root, "e2e", "artifacts", filepath.Base(dir))
	if BuildDir, err = os.MkdirTemp("", "nbduet-e2e-"); err != nil {
		return 1, err
	}
	AtEnd(func() error { return os.RemoveAll(BuildDir) })
	code = m.Run()
	var errs []error
	for _, end := range slices.Backward(ends.list) {
		errs = append(errs, end())
	}
	return code, errors.Join(append(errs, goleak.Find())...)
}

var build = sync.OnceValues(func() (string, error) { return agent.Build(Root, BuildDir) })

// Binary returns the path of the program, which the first call builds with the race detector.
func Binary(t testing.TB) string {
	t.Helper()
	file, err := build()
	must.NoError(t, err)
	return file
}

var startJupyter = sync.OnceValues(func() (*lab.Lab, error) {
	l, err := lab.Start(context.Background(), LabOptions)
	if err == nil {
		AtEnd(l.Stop)
	}
	return l, err
})

// Jupyter returns the JupyterLab of all tests of the package, which the first call starts.
func Jupyter(t testing.TB) *lab.Lab {
	t.Helper()
	l, err := startJupyter()
	must.NoError(t, err)
	return l
}

var launch = sync.OnceValues(func() (*browser.Browser, error) {
	release, err := claimArtifacts(artifacts)
	if err != nil {
		return nil, err
	}
	AtEnd(release)
	b, err := browser.Launch()
	if err == nil {
		AtEnd(b.Close)
	}
	return b, err
})

// Chromium returns the browser of all tests of the package, which the first call launches.
func Chromium(t testing.TB) *browser.Browser {
	t.Helper()
	b, err := launch()
	must.NoError(t, err)
	return b
}
