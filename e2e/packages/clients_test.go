package packages

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// claudeCode runs Claude Code's command in a home folder, without a network, and returns its output.
func claudeCode(t *testing.T, home string, args ...string) string {
	t.Helper()
	program := one(t, filepath.Join(bundlePacker(t, "claude"), "node_modules", "@anthropic-ai"), "claude-code-*/claude")
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = home
	cmd.Env = append(lab.CleanEnv(), "HOME="+home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("claude %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// claudeFile is Claude Code's own file: the servers of the user, and those of each folder.
type claudeFile struct {
	Servers  map[string]any `json:"mcpServers"`
	Projects map[string]struct {
		Servers map[string]any `json:"mcpServers"`
	}
}

// claudeEntries reads Claude Code's file in a home folder.
func claudeEntries(t *testing.T, home string) claudeFile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, ".claude.json"))
	must.NoError(t, err)
	var file claudeFile
	must.NoError(t, json.Unmarshal(text, &file))
	return file
}

// Claude Code accepts each of its commands on the pages, and the extension's page has the same entry as JSON.
func TestClaudeCodeReadsPages(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile("(?:`|(?m:^))claude (mcp add [^`\n]+)")
	word := regexp.MustCompile(`"[^"]*"|\S+`)
	for page, want := range map[string]string{
		"README.md":                       `{"nbduet": {"type": "stdio", "command": "uvx", "args": ["nbduet"], "env": {}}}`,
		"cmd/nbduet/README.md":            `{"nbduet": {"type": "http", "url": "http://127.0.0.1:3001/mcp", "headers": {"Authorization": "Bearer …"}}}`,
		"cmd/jupyter-extension/README.md": `{"nbduet": {"type": "http", "url": "http://localhost:8888/mcp", "headers": {"Authorization": "token …"}}}`,
		"tools/README.md": `{"jupyter": {"type": "stdio", "command": "/path/to/bin/nbduet", "args": ["--toolsets", "datalayer"],
			"env": {"JUPYTER_SERVER_URL": "http://localhost:8888", "JUPYTER_TOKEN": "…"}}}`,
	} {
		text, err := os.ReadFile(filepath.Join(kit.Root, page))
		must.NoError(t, err)
		found := command.FindAllStringSubmatch(string(text), -1)
		must.SliceLen(t, 1, found, must.Sprint(page))
		args := word.FindAllString(found[0][1], -1)
		for i, arg := range args {
			args[i] = strings.Trim(arg, `"`)
		}
		home := t.TempDir()
		claudeCode(t, home, args...)
		var entry map[string]any
		must.NoError(t, json.Unmarshal([]byte(want), &entry))
		test.Eq(t, entry, claudeEntries(t, home).Projects[home].Servers, test.Sprint(page))
		if page == "cmd/jupyter-extension/README.md" {
			var block claudeFile
			_, after, _ := strings.Cut(string(text), "```json\n")
			must.NoError(t, json.NewDecoder(strings.NewReader(after)).Decode(&block))
			test.Eq(t, entry, block.Servers)
		}
	}
}

// Claude Code reads the entry that nbduet config writes into its file, beside its own entries, and removes it with its
// own command. It runs without a network.
func TestClaudeCodeReadsConfig(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	claude := func(args ...string) string { return claudeCode(t, home, args...) }
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
	servers := func() map[string]any { return claudeEntries(t, home).Servers }
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
