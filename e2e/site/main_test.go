// Package site_test tests the repository as its users meet it: the README, a clone, the demo.
package site_test

import (
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }
