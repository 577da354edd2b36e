package program_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// A kernel whose port somebody else has taken ends, so that the server begins it anew with other ports.
func TestKernelWithoutItsPort(t *testing.T) {
	root, err := lab.RepoRoot()
	must(t, err)
	python, err := child.Python(root)
	must(t, err)
	connection := map[string]any{"ip": "127.0.0.1", "key": "k", "transport": "tcp", "signature_scheme": "hmac-sha256"}
	for _, port := range []string{"shell_port", "stdin_port", "control_port", "hb_port", "iopub_port"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer l.Close()
		connection[port] = l.Addr().(*net.TCPAddr).Port
		if port != "iopub_port" {
			must(t, l.Close())
		}
	}
	text, err := json.Marshal(connection)
	must(t, err)
	file := filepath.Join(t.TempDir(), "kernel.json")
	must(t, os.WriteFile(file, text, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	kernel := exec.CommandContext(ctx, python, "-m", "ipykernel_launcher", "-f", file)
	kernel.Env = kit.Jupyter(t).ClientEnv()
	said, err := kernel.CombinedOutput()
	if ctx.Err() != nil || err == nil || !strings.Contains(string(said), "Address already in use") {
		t.Errorf("the kernel ended with %v (%v), having said %s", err, ctx.Err(), said)
	}
}
