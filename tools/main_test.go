package tools

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// update makes the tests write the expected files instead of comparing with them: go test ./tools -update.
var update = flag.Bool("update", false, "write the schema snapshots and the README's table")

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }
