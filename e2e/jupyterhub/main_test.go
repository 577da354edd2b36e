package jupyterhub

import (
	"sync"
	"testing"

	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// installed builds and installs the wheels once.
var installed = sync.OnceValues(func() (embedded.Installation, error) { return embedded.Install(kit.BuildDir) })
