package packages

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/lab"
)

// What the tests of this package share.
var (
	// shared is a folder for what is made once.
	shared string
	// root is the top of the repository.
	root string
)

// jupyter starts the JupyterLab of all tests, at the first that wants it.
var jupyter = sync.OnceValues(func() (*lab.Lab, error) { return lab.Start(context.Background(), lab.Options{}) })

// started is whether jupyter was asked for, so that TestMain need not start one in order to stop it.
var started atomic.Bool

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	fail := func(what error) {
		if err == nil {
			err = what
		}
	}
	if root, err = lab.RepoRoot(); err != nil {
		return 1, err
	}
	if shared, err = os.MkdirTemp("", "nbduet-packages-"); err != nil {
		return 1, err
	}
	defer func() { fail(os.RemoveAll(shared)) }()
	code = m.Run()
	if started.Load() {
		l, err := jupyter()
		if err == nil {
			err = l.Stop()
		}
		fail(err)
	}
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
