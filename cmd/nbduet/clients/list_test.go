package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
)

// having returns a machine with variables, and with programs in PATH.
func having(m clients.Machine, env, path map[string]string) clients.Machine {
	m.Env = func(name string) string { return env[name] }
	m.Look = func(name string) (string, error) {
		if at := path[name]; at != "" {
			return at, nil
		}
		return "", exec.ErrNotFound
	}
	return m
}

func TestFiles(t *testing.T) {
	m := machine(t)
	at := func(parts ...string) string { return filepath.Join(append([]string{m.Home}, parts...)...) }
	env := map[string]string{"XDG_CONFIG_HOME": at("xdg"), "CLAUDE_CONFIG_DIR": at("cc"), "CODEX_HOME": at("cx"), "GEMINI_CLI_HOME": at("gm"), "COPILOT_HOME": at("cp"), "APPDATA": at("roaming"), "LOCALAPPDATA": at("local")}
	for _, c := range []struct {
		client, system string
		env            map[string]string
		want           string
	}{
		{"claude-desktop", "linux", nil, at(".config", "Claude", "claude_desktop_config.json")},
		{"claude-desktop", "darwin", env, at("Library", "Application Support", "Claude", "claude_desktop_config.json")},
		{"claude-desktop", "windows", env, at("roaming", "Claude", "claude_desktop_config.json")},
		{"claude-code", "linux", nil, at(".claude.json")},
		{"claude-code", "darwin", env, at("cc", ".claude.json")},
		{"cursor", "windows", env, at(".cursor", "mcp.json")},
		{"vscode", "linux", env, at("xdg", "Code", "User", "mcp.json")},
		{"vscode", "darwin", nil, at("Library", "Application Support", "Code", "User", "mcp.json")},
		{"vscode", "windows", nil, at("AppData", "Roaming", "Code", "User", "mcp.json")},
		{"jupyter-ai", "linux", env, at(".jupyter", "mcp_settings.json")},
		{"codex", "linux", nil, at(".codex", "config.toml")},
		{"codex", "linux", env, at("cx", "config.toml")},
		{"gemini", "linux", nil, at(".gemini", "settings.json")},
		{"gemini", "linux", env, at("gm", ".gemini", "settings.json")},
		{"copilot", "linux", nil, at(".copilot", "mcp-config.json")},
		{"copilot", "windows", env, at("cp", "mcp-config.json")},
		{"zed", "linux", env, at("xdg", "zed", "settings.json")},
		{"zed", "darwin", env, at(".config", "zed", "settings.json")},
		{"zed", "windows", env, at("roaming", "Zed", "settings.json")},
		{"windsurf", "linux", env, at(".codeium", "windsurf", "mcp_config.json")},
	} {
		m := having(m, c.env, nil)
		m.GOOS = c.system
		if got := fileOf(t, m, c.client); got != c.want {
			t.Errorf("%s on %s reads %s, not %s", c.client, c.system, got, c.want)
		}
	}
	m = having(m, env, nil)
	put(t, at(".config", "Code - Insiders", "User", "x"), "", 0o600)
	if got := fileOf(t, having(m, nil, nil), "vscode"); got != at(".config", "Code - Insiders", "User", "mcp.json") {
		t.Error(got)
	}
	put(t, at(".claude", ".config.json"), "{}", 0o600)
	if got := fileOf(t, having(m, nil, nil), "claude-code"); got != at(".claude", ".config.json") {
		t.Error(got)
	}
	m.GOOS = "windows"
	put(t, at("local", "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", "x"), "", 0o600)
	if got := fileOf(t, m, "claude-desktop"); !strings.HasPrefix(got, at("local", "Packages")) {
		t.Error(got)
	}
}

// The command that starts nbduet still exists after an upgrade, and after a cache was cleaned.
func TestCommand(t *testing.T) {
	home := t.TempDir()
	tool, err := exec.LookPath("sh")
	must.NoError(t, err)
	link := filepath.Join(home, "bin", "nbduet")
	must.NoError(t, os.MkdirAll(filepath.Dir(link), 0o700))
	must.NoError(t, os.Symlink(tool, link))
	cached := filepath.Join(home, ".cache", "uv", "archive-v0", "abc", "bin", "nbduet")
	npx := filepath.Join(home, ".npm", "_npx", "12", "node_modules", "@nbduet", "linux", "nbduet")
	spaced := filepath.Join(home, "a b")
	for _, f := range []string{cached, npx, spaced} {
		put(t, f, "", 0o700)
	}
	both := map[string]string{"uvx": "/usr/bin/uvx", "npx": "/usr/bin/npx", "nbduet": "/elsewhere/nbduet"}
	for _, c := range []struct {
		program, given string
		env, path      map[string]string
		want, warns    string
		unpublished    bool
	}{
		{program: tool, want: tool},
		{program: tool, path: both, want: tool},
		{program: tool, path: map[string]string{"nbduet": link}, want: link, warns: "temporary"},
		{program: cached, path: both, want: "uvx nbduet"},
		{program: cached, want: "uvx nbduet", warns: "not in PATH"},
		{program: filepath.Join(spaced, "bin"), env: map[string]string{"UV_CACHE_DIR": spaced}, path: both, want: "uvx nbduet"},
		{program: npx, path: both, want: "npx -y nbduet"},
		{program: cached, path: both, want: cached, warns: "temporary", unpublished: true},
		{program: npx, path: both, want: npx, warns: "temporary", unpublished: true},
		{program: spaced, want: spaced, warns: "temporary"},
		{program: "/var/folders/x/go-build12/b001/exe/nbduet", want: "/var/folders/x/go-build12/b001/exe/nbduet", warns: "does not exist"},
		{program: tool, given: "uvx nbduet --read-only", path: both, want: "uvx nbduet --read-only"},
		{program: tool, given: spaced, want: spaced, warns: "temporary"},
		{program: tool, given: "/no/such", want: "/no/such", warns: "does not exist"},
	} {
		m := having(clients.Machine{GOOS: "linux", Home: home, Program: c.program, Published: !c.unpublished}, c.env, c.path)
		out, warn := run(t, m, clients.Config{Command: c.given}, "cursor")
		var entry struct {
			Servers map[string]struct {
				Command string
				Args    []string
			} `json:"mcpServers"`
		}
		must.NoError(t, json.Unmarshal([]byte(out), &entry))
		got := strings.Join(append([]string{entry.Servers["nbduet"].Command}, entry.Servers["nbduet"].Args...), " ")
		first, _, _ := strings.Cut(warn, "\n")
		test.Eq(t, c.want, got)
		test.False(t, c.warns == "" && strings.Contains(warn, "--command"))
		test.StrContains(t, first, c.warns)
	}
}

func TestList(t *testing.T) {
	m := machine(t)
	out, _ := run(t, m, clients.Config{List: true})
	if want := "not on this machine: " + strings.Join(all, ", ") + "\n"; out != want {
		t.Errorf("it lists %q", out)
	}
	if lines := clients.Lines(m); lines != nil {
		t.Errorf("the lines are %q", lines)
	}
	m = having(m, nil, map[string]string{"claude": "/usr/bin/claude", "codex": "/usr/bin/codex"})
	put(t, filepath.Join(m.Home, ".cursor", "x"), "", 0o600)
	run(t, m, clients.Config{Write: true, Token: "x"}, "cursor")
	must.NoError(t, os.RemoveAll(m.Data))
	run(t, m, writing, "gemini")
	put(t, fileOf(t, m, "zed"), "{", 0o600)
	put(t, fileOf(t, m, "windsurf"), `{"mcpServers": {"nbduet": {"command": "/no/such", "args": [1]}}}`, 0o600)
	list, err := clients.List(m)
	must.NoError(t, err)
	for _, i := range list {
		want := map[string]clients.Installed{
			"claude-code": {Present: true},
			"codex":       {Present: true},
			"cursor":      {Present: true, Configured: true, Command: []string{m.Program}, Problem: "its token file " + m.Data + "/tokens/localhost-8888 does not exist"},
			"gemini":      {Present: true, Configured: true, Command: []string{m.Program}},
			"zed":         {Present: true, Problem: fileOf(t, m, "zed") + ": line 1, column 2: parsing value: unexpected EOF"},
			"windsurf":    {Present: true, Configured: true, Command: []string{"/no/such", "1"}, Problem: "its command /no/such does not exist"},
		}[i.Name]
		want.Name, want.Title, want.File = i.Name, i.Title, i.File
		test.Eq(t, want, i)
		test.NotEq(t, "", i.Title)
	}
	out, _ = run(t, m, clients.Config{List: true})
	for _, says := range []string{"without nbduet\n", "has nbduet\n", "has nbduet, but its command /no/such does not exist", "not on this machine: claude-desktop, vscode, jupyter-ai, copilot\n"} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q: %s", says, out)
		}
	}
	out, _ = run(t, m, clients.Config{List: true, JSON: true})
	var again []clients.Installed
	must.NoError(t, json.Unmarshal([]byte(out), &again))
	if !reflect.DeepEqual(again, list) {
		t.Errorf("as JSON it is %s", out)
	}
	want := []string{"claude mcp add --scope user nbduet -- " + m.Program}
	for _, name := range []string{"cursor", "codex", "zed", "windsurf"} {
		want = append(want, m.Program+" config "+name+" --write")
	}
	if lines := clients.Lines(m); !slices.Equal(lines, want) {
		t.Errorf("the lines are %q, not %q", lines, want)
	}
	older := m
	older.Program = filepath.Join(m.Home, "older")
	put(t, older.Program, "", 0o700)
	run(t, older, writing, "gemini")
	if lines := clients.Lines(m); !slices.Contains(lines, m.Program+" config gemini --write") {
		t.Errorf("for a client of another nbduet the lines are %q", lines)
	}
	m.Look = having(m, nil, map[string]string{"nbduet": m.Program}).Look
	lines := clients.Lines(m)
	test.SliceContainsOp(t, lines, "nbduet config cursor --write")
	test.Eq(t, "nbduet", clients.Self(m))
	m.Program, m.Look = "/x y/it's", machine(t).Look
	if lines := clients.Lines(m); !slices.Contains(lines, `'/x y/it'\''s' config cursor --write`) {
		t.Errorf("the lines are %q", lines)
	}
}
