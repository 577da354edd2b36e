package packages

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// readJSON decodes a file of the repository.
func readJSON(t *testing.T, into any, name ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{kit.Root}, name...)...))
	must.NoError(t, err)
	must.NoError(t, json.Unmarshal(text, into))
}

// The plugin has the last release's version, is in its own marketplace, and starts the published package.
func TestPlugin(t *testing.T) {
	var plugin struct {
		Name, Version, Icon string
		MCPServers          map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		}
	}
	readJSON(t, &plugin, ".claude-plugin", "plugin.json")
	version, err := newest()
	must.NoError(t, err)
	server := plugin.MCPServers["nbduet"]
	test.Eq(t, "nbduet", plugin.Name)
	test.Eq(t, version, plugin.Version)
	test.Eq(t, "uvx", server.Command)
	test.SliceEqOp(t, []string{"nbduet"}, server.Args)
	for name, value := range server.Env {
		if value != "${"+name+":-}" {
			t.Errorf("%s is %q, not what it is for the host", name, value)
		}
	}
	_, err = os.Stat(filepath.Join(kit.Root, plugin.Icon))
	must.NoError(t, err)
	test.NotEq(t, "", plugin.Icon)
	var market struct {
		Name    string
		Plugins []struct{ Name, Source string }
	}
	readJSON(t, &market, ".claude-plugin", "marketplace.json")
	must.SliceLen(t, 1, market.Plugins)
	test.Eq(t, plugin.Name, market.Plugins[0].Name)
	test.Eq(t, "./", market.Plugins[0].Source)
}

// Claude Code's own check finds no problem, and sees server and skill. It runs without a network.
func TestPluginValidates(t *testing.T) {
	t.Parallel()
	validator := one(t, filepath.Join(bundlePacker(t, "claude"), "node_modules", "@anthropic-ai"), "claude-code-*/claude")
	cmd := exec.CommandContext(t.Context(), validator, "plugin", "validate", kit.Root)
	cmd.Env = append(lab.CleanEnv(), "HOME="+t.TempDir(), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	out, err := cmd.CombinedOutput()
	said := string(out)
	for _, want := range []string{"Validation passed", `mcpServers: nbduet stdio uvx ["nbduet"]`, "skills: nbduet:nbduet", "These checks found nothing to report"} {
		must.NoError(t, err)
		must.StrContains(t, said, want)
	}
}
