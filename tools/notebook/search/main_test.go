package search_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }
