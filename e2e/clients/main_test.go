// Package clients_test tests the program with other MCP clients and SDKs, also inside Jupyter Server.
package clients_test

import (
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }
