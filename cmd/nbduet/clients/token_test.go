package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
)

// Any token is written into a file that only the user can read, and into no other file.
func TestTokens(t *testing.T) {
	for _, token := range []string{"abc123", `$(rm -rf "$HOME") 'x' ; #\n`, "ключ–🗝", "-x=--y", `"`} {
		for _, client := range all {
			m := machine(t)
			config := clients.Config{Write: true, URL: "https://hub.example/user/ada/", Token: " " + token + "\n"}
			run(t, m, config, client)
			file := filepath.Join(m.Data, "tokens")
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o700 {
				t.Fatalf("%v, %v", info.Mode(), err)
			}
			entries, err := os.ReadDir(file)
			must.NoError(t, err)
			must.SliceLen(t, 1, entries)
			must.StrHasPrefix(t, "hub.example-443-user_ada", entries[0].Name())
			file = filepath.Join(file, entries[0].Name())
			info, err := os.Stat(file)
			must.NoError(t, err)
			test.Eq(t, 0o600, info.Mode().Perm())
			test.Eq(t, token+"\n", get(t, file))
			text := get(t, fileOf(t, m, client))
			test.False(t, strings.Contains(text, token) && len(token) > 1, test.Sprint(client))
			test.StrContains(t, text, file, test.Sprint(client))
			test.StrContains(t, text, "https://hub.example/user/ada/", test.Sprint(client))
			must.NoError(t, os.Chmod(file, 0o644))
			config.Token = "another"
			said, _ := run(t, m, config, client)
			test.StrContains(t, said, "unchanged")
			test.StrNotContains(t, said, "another,")
			info, err = os.Stat(file)
			must.NoError(t, err)
			test.Eq(t, 0o600, info.Mode().Perm())
			test.Eq(t, "another\n", get(t, file))
		}
	}
}

// Different servers have different token files.
func TestTokenNames(t *testing.T) {
	m := machine(t)
	addresses := []string{
		"", "http://localhost", "https://localhost", "http://localhost:8888/a/b", "http://localhost:8888/a_b", "http://localhost:8888/a%2Fb", "http://[::1]:8888",
		"http://localhost:8888/../../x", "http://" + strings.Repeat("x", 60) + ".example/" + strings.Repeat("y/", 200), "http://" + strings.Repeat("x", 60) + ".example/" + strings.Repeat("y/", 201),
	}
	for _, url := range addresses {
		run(t, m, clients.Config{Write: true, URL: url, Token: "t", File: filepath.Join(m.Home, "mcp.json")}, "cursor")
		must.NoError(t, os.Remove(filepath.Join(m.Home, "mcp.json"))) // so that no token file is removed
	}
	entries, err := os.ReadDir(filepath.Join(m.Data, "tokens"))
	must.NoError(t, err)
	if len(entries) < len(addresses)-1 { // the paths with / and %2F are equal
		t.Errorf("they are %v", entries)
	}
}

func TestTokenFiles(t *testing.T) {
	m := machine(t)
	own := filepath.Join(m.Home, "my token")
	put(t, own, "secret\n", 0o600)
	t.Chdir(m.Home)
	run(t, m, clients.Config{Write: true, TokenFile: "my token", Token: "loses", CAFile: "my token"}, "codex")
	text := get(t, fileOf(t, m, "codex"))
	test.Eq(t, 2, strings.Count(text, "'"+own+"'"))
	test.StrNotContains(t, text, "secret")
	absent(t, m.Data)
	run(t, m, removing, "codex")
	if get(t, own) != "secret\n" {
		t.Error("a person's token file is gone")
	}
	for _, mode := range []os.FileMode{0o640, 0o604} {
		must.NoError(t, os.Chmod(own, mode))
		if err := refused(t, m, clients.Config{Write: true, TokenFile: own}, "codex"); !strings.Contains(err.Error(), "others can read "+own) {
			t.Error(err)
		}
	}
	must.NoError(t, os.WriteFile(own, nil, 0o600))
	must.NoError(t, os.Chmod(own, 0o600))
	for _, c := range []clients.Config{{TokenFile: "none"}, {TokenFile: own}, {TokenFile: m.Home}, {CAFile: "none"}} {
		refused(t, m, c, "codex")
	}
	m.Data = ""
	refused(t, m, clients.Config{Token: "x"}, "codex")
}

// A token is removed with the last entry that names it, and is not used for another server.
func TestTokensForgotten(t *testing.T) {
	m := machine(t)
	token := filepath.Join(m.Data, "tokens", "localhost-8888")
	config := clients.Config{Write: true, URL: "http://localhost:8888", Token: "secret"}
	for _, client := range []string{"cursor", "codex", "jupyter-ai"} {
		run(t, m, config, client)
	}
	run(t, m, removing, "cursor")
	run(t, m, writing, "codex") // the token's own server: nothing to change
	test.Eq(t, "secret\n", get(t, token), test.Sprint("codex has no token"))
	test.StrContains(t, get(t, fileOf(t, m, "codex")), token, test.Sprint("codex has no token"))
	for _, client := range []string{"codex", "jupyter-ai"} {
		run(t, m, clients.Config{Write: true, URL: "http://elsewhere"}, client)
		text := get(t, fileOf(t, m, client))
		test.StrNotContains(t, text, "TOKEN_FILE", test.Sprint(client))
		test.StrContains(t, text, "http://elsewhere", test.Sprint(client))
		if client == "codex" && get(t, token) != "secret\n" {
			t.Error("Jupyter AI has no token")
		}
	}
	absent(t, token)

	run(t, m, config, "cursor")
	put(t, fileOf(t, m, "zed"), "{", 0o600) // it may name the token
	run(t, m, removing, "cursor")
	if get(t, token) != "secret\n" {
		t.Error("Zed has no token")
	}
	must.NoError(t, os.Remove(fileOf(t, m, "zed")))
	run(t, m, config, "cursor")
	if said, _ := run(t, m, removing, "cursor"); !strings.Contains(said, "deleted the token of its Jupyter server") {
		t.Error(said)
	}
	absent(t, token)
	if said, _ := run(t, m, removing, "cursor"); !strings.Contains(said, "nothing to remove") {
		t.Error(said)
	}
}

func TestPlainTokenReported(t *testing.T) {
	m := machine(t)
	put(t, fileOf(t, m, "cursor"), `{"mcpServers": {"nbduet": {"command": "x", "env": {"JUPYTER_TOKEN": "secret"}}}}`, 0o600)
	out, warn := run(t, m, writing, "cursor")
	test.StrContains(t, warn, "plain text")
	test.StrNotContains(t, warn+out, "secret")
}
