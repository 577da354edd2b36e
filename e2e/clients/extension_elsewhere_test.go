package clients_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/lab"
)

// On Windows the program cannot inherit a socket. The server still starts with the extension, and reports this once at
// start and to each authorized request.
func TestInsideJupyterOnWindows(t *testing.T) {
	in, err := installed()
	must.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), in.Python, "-c", `
from nbduet_jupyter.elsewhere import hands_sockets_down
for platform, want in ("linux", True), ("darwin", True), ("freebsd14", True), ("win32", False):
    assert hands_sockets_down(platform) == want, platform
`).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	config := filepath.Join(t.TempDir(), "config.py")
	must.NoError(t, os.WriteFile(config, []byte(`
import nbduet_jupyter.extension as extension
extension.hands_sockets_down = lambda platform: False
`), 0o600))
	s := startSite(t, lab.Options{BaseURL: "/user/ada/", Args: []string{
		"--config=" + config, `--ServerApp.jpserver_extensions={"jupyter_mcp_server": True}`,
	}})
	const instead = "run `nbduet` as your client's own program (stdio), or `nbduet --transport=streamable-http`"
	for _, c := range []struct {
		method, path string
		change       func(*http.Request)
		status       int
		says         string
	}{
		{"POST", "/mcp", nil, 501, instead},
		{"GET", "/mcp/", nil, 501, instead},
		{"GET", "/mcp/sse", nil, 501, instead},
		{"GET", "/mcp/healthz", nil, 501, instead},
		{"POST", "/mcp/tools/call", nil, 501, instead},
		{"DELETE", "/mcp", nil, 501, instead},
		{"GET", "/mcp/ws", func(r *http.Request) {
			r.Header.Set("Upgrade", "websocket")
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Sec-Websocket-Protocol", "mcp")
		}, 501, instead},
		{"OPTIONS", "/mcp", nil, 204, ""},
		{"POST", "/mcp", func(r *http.Request) { r.Header.Del("Authorization") }, 403, ""},
		{"POST", "/mcp", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, ""},
	} {
		status, text, err := s.ask(c.method, c.path, "", c.change)
		must.NoError(t, err)
		test.Eq(t, c.status, status)
		test.StrContains(t, text, c.says)
		test.False(t, strings.Contains(text, "\n") && c.status == 501)
	}
	if n := strings.Count(s.LogTail(1000), "/mcp is not served: on Windows"); n != 1 {
		t.Errorf("the log says %d times that nothing is served", n)
	}
	if pid, err := s.program(); err == nil {
		t.Errorf("process %d was started", pid)
	}
}
