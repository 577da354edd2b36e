package packages

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
	"github.com/nbduet/nbduet/e2e/lab"
)

// Claude Code reads the entry that nbduet config writes into its file, beside its own entries, and removes it with its
// own command. It runs without a network.
func TestClaudeCodeReadsConfig(t *testing.T) {
	t.Parallel()
	program := one(t, filepath.Join(bundlePacker(t, "claude"), "node_modules", "@anthropic-ai"), "claude-code-*/claude")
	home := t.TempDir()
	claude := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = home
		cmd.Env = append(lab.CleanEnv(), "HOME="+home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("claude %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	config := func(c clients.Config) {
		t.Helper()
		m := clients.Machine{
			GOOS: "linux", Home: home, Program: "/no/such/nbduet", Data: filepath.Join(home, "data"),
			Env:  func(string) string { return "" },
			Look: func(string) (string, error) { return "", exec.ErrNotFound },
		}
		var said bytes.Buffer
		err := c.Run([]string{"claude-code"}, m, &said, &said)
		must.NoError(t, err)
		must.StrNotContains(t, said.String(), "secret")
	}
	servers := func() map[string]any {
		t.Helper()
		var file struct {
			Servers map[string]any `json:"mcpServers"`
		}
		text, err := os.ReadFile(filepath.Join(home, ".claude.json"))
		must.NoError(t, err)
		must.NoError(t, json.Unmarshal(text, &file))
		return file.Servers
	}
	added := []string{"mcp", "add", "--scope", "user", "nbduet", "-e", "JUPYTER_SERVER_URL=http://localhost:8888", "-e", "JUPYTER_TOKEN_FILE=" + filepath.Join(home, "data", "tokens", "localhost-8888"), "--", "/no/such/nbduet"}

	claude("mcp", "add", "--scope", "user", "other", "--", "/no/such/other", "-x")
	config(clients.Config{Write: true, URL: "http://localhost:8888", Token: "secret"})
	ours, err := json.Marshal(servers())
	must.NoError(t, err)
	said := claude("mcp", "get", "nbduet")
	for _, want := range []string{"User config", "stdio", "Command: /no/such/nbduet", "JUPYTER_SERVER_URL=http://localhost:8888", "JUPYTER_TOKEN_FILE=" + home} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	said = claude("mcp", "list")
	test.StrContains(t, said, "nbduet: /no/such/nbduet")
	test.StrContains(t, said, "other: /no/such/other -x")

	claude("mcp", "remove", "--scope", "user", "nbduet")
	_, found := servers()["nbduet"]
	test.False(t, found)
	test.NotNil(t, servers()["other"])
	claude(added...)
	theirs, err := json.Marshal(servers())
	must.NoError(t, err)
	if !bytes.Equal(ours, theirs) {
		t.Errorf("nbduet writes\n%s\nand Claude Code\n%s", ours, theirs)
	}
	config(clients.Config{Remove: true})
	_, found = servers()["nbduet"]
	test.False(t, found)
	test.NotNil(t, servers()["other"])
}
