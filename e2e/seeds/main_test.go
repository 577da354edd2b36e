package seeds

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// binary is the path of the built program.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "nbduet-seeds")
	if err == nil {
		var root string
		if root, err = lab.RepoRoot(); err == nil {
			binary, err = agent.Build(root, dir)
		}
	}
	// The exit delay of programs with the race detector, and the folder of the tests' recorded work.
	for name, value := range map[string]string{"GORACE": "atexit_sleep_ms=10", "XDG_STATE_HOME": dir} {
		if err == nil {
			err = os.Setenv(name, value)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(jupytertest.Tests(m), goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
