// Package tab_test tests the program beside people with a browser tab.
package tab_test

import (
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func TestMain(m *testing.M) {
	jupytertest.AlwaysReal() // for TestTwoServers
	kit.Main(m)
}
