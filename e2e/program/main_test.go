// Package program_test tests the built program with a real JupyterLab, without a browser.
package program_test

import (
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }
