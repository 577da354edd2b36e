package program_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// A kernel whose port is taken by another process ends, so that the server starts it again with other ports.
func TestKernelWithoutItsPort(t *testing.T) {
	root, err := lab.RepoRoot()
	must.NoError(t, err)
	python, err := child.Python(root)
	must.NoError(t, err)
	connection := map[string]any{"ip": "127.0.0.1", "key": "k", "transport": "tcp", "signature_scheme": "hmac-sha256"}
	for _, port := range []string{"shell_port", "stdin_port", "control_port", "hb_port", "iopub_port"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must.NoError(t, err)
		defer l.Close()
		connection[port] = l.Addr().(*net.TCPAddr).Port
		if port != "iopub_port" {
			must.NoError(t, l.Close())
		}
	}
	text, err := json.Marshal(connection)
	must.NoError(t, err)
	file := filepath.Join(t.TempDir(), "kernel.json")
	must.NoError(t, os.WriteFile(file, text, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	kernel := exec.CommandContext(ctx, python, "-m", "ipykernel_launcher", "-f", file)
	kernel.Env = kit.Jupyter(t).ClientEnv()
	said, err := kernel.CombinedOutput()
	must.NoError(t, ctx.Err())
	must.Error(t, err)
	test.StrContains(t, string(said), "Address already in use")
}
