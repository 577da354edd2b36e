package clients_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

var (
	writing  = clients.Config{Write: true}
	removing = clients.Config{Remove: true}
)

// left checks the names in a file's folder: it has no temporary files.
func left(t *testing.T, file string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	must.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("in the folder of %s are %q, not %q", file, names, want)
	}
}

// A file that the client itself could not read is refused with the position, and not changed.
func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct{ client, text, says string }{
		{"cursor", "{\n  \"mcpServers\": {\n    \"a\": }\n}\n", "line 3, column 10: invalid character '}'"},
		{"cursor", "{\n  \"mcpServers\": {", "line 2"},
		{"cursor", "{\n} {}", "line 2, column 3"},
		{"cursor", "[1]", "not a JSON object"},
		{"cursor", "// nothing else\n", "unexpected EOF"},
		{"cursor", "{\n  \"mcpServers\": []}", `line 2: "mcpServers" is not an object`},
		{"jupyter-ai", "{\n\n  \"mcp_servers\": {}}", `line 3: "mcp_servers" is not a list`},
		{"codex", "a = 1\nb = \n", "line 2, column"},
		{"codex", "a = 1\na = 2\n", "line 2"},
		{"codex", "mcp_servers = 1\n", `"mcp_servers" is not a table`},
		{"codex", "mcp_servers = { other = { command = \"x\" } }\n", "by hand"},
		{"zed", "{\"context_servers\": {\"nbduet\": {\"url\": \"http://x/mcp\"}}}", "nbduet config zed --remove"},
	} {
		t.Run(c.text, func(t *testing.T) {
			m := machine(t)
			file := fileOf(t, m, c.client)
			put(t, file, c.text, 0o644)
			err := refused(t, m, clients.Config{Write: true, Token: "secret"}, c.client)
			test.StrContains(t, err.Error(), c.says)
			test.StrContains(t, err.Error(), file)
			test.Eq(t, 1, strings.Count(err.Error(), file))
			if c.client != "zed" && !strings.Contains(c.says, "by hand") {
				refused(t, m, removing, c.client)
			}
			if get(t, file) != c.text {
				t.Error("the file was changed")
			}
			left(t, file, filepath.Base(file))
			absent(t, m.Data)
		})
	}
}

// ends returns the line ending of a text.
func ends(text string) string {
	if strings.Contains(text, "\r") {
		return "\r\n"
	}
	return "\n"
}

func TestEmpty(t *testing.T) {
	for _, client := range all {
		for _, text := range []string{"", "\n", " \r\n", "\ufeff"} {
			m := machine(t)
			fresh, _ := run(t, m, clients.Config{}, client)
			file := fileOf(t, m, client)
			put(t, file, text, 0o640)
			out, _ := run(t, m, removing, client)
			test.StrContains(t, out, "nothing to remove", test.Sprint(client))
			test.Eq(t, text, get(t, file), test.Sprint(client))
			run(t, m, writing, client)
			if got := get(t, file); got != strings.TrimSpace(text)+strings.ReplaceAll(fresh, "\n", ends(text)) {
				t.Errorf("%s, %q: it is %q", client, text, get(t, file))
			}
			info, err := os.Stat(file)
			must.NoError(t, err)
			test.Eq(t, 0o640, info.Mode().Perm())
		}
	}
}

func TestReadOnly(t *testing.T) {
	for _, client := range []string{"cursor", "codex"} {
		m := machine(t)
		file := fileOf(t, m, client)
		put(t, file, "", 0o444)
		if err := refused(t, m, writing, client); !strings.Contains(err.Error(), file+" is read-only") {
			t.Error(err)
		}
		if get(t, file) != "" {
			t.Error("it was changed")
		}
		left(t, file, filepath.Base(file))
		run(t, m, removing, client) // nothing to change
	}
	m := machine(t)
	must.NoError(t, os.MkdirAll(fileOf(t, m, "cursor"), 0o700))
	if err := refused(t, m, writing, "cursor"); !strings.Contains(err.Error(), "is not a file") {
		t.Error(err)
	}
}

// Links are followed, even to a file that does not exist yet. The backup is beside the link.
func TestLinks(t *testing.T) {
	for _, text := range []string{"{\n  \"a\": 1\n}\n", ""} {
		m := machine(t)
		file := fileOf(t, m, "cursor")
		must.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		dotfiles := filepath.Join(m.Home, "dotfiles")
		target := filepath.Join(dotfiles, "mcp.json")
		if text != "" {
			put(t, target, text, 0o600)
		}
		must.NoError(t, os.Symlink("../dotfiles/between", file))
		must.NoError(t, os.MkdirAll(dotfiles, 0o700))
		must.NoError(t, os.Symlink("mcp.json", filepath.Join(dotfiles, "between")))
		run(t, m, writing, "cursor")
		info, err := os.Lstat(file)
		must.NoError(t, err)
		test.NotEq(t, 0, info.Mode()&os.ModeSymlink)
		if !strings.Contains(get(t, target), `"nbduet"`) {
			t.Errorf("the target is %s", get(t, target))
		}
		left(t, target, "between", "mcp.json")
		if text != "" {
			left(t, file, "mcp.json", "mcp.json.nbduet-backup")
		}
	}
	m := machine(t)
	file := fileOf(t, m, "cursor")
	must.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must.NoError(t, os.Symlink(file, file))
	if err := refused(t, m, writing, "cursor"); !strings.Contains(err.Error(), "link") {
		t.Error(err)
	}
}

// Changes that another program writes at the same time are kept.
func TestMeanwhile(t *testing.T) {
	m := machine(t)
	file := fileOf(t, m, "claude-code")
	for _, before := range []string{"", "{\"n\": 0}"} {
		if os.Remove(file); before != "" {
			put(t, file, before, 0o600)
		}
		n := 0
		clients.Meanwhile(func() {
			if n++; n <= 3 {
				put(t, file, fmt.Sprintf("{\"n\": %d}", n), 0o600)
			}
		})
		t.Cleanup(func() { clients.Meanwhile(func() {}) })
		run(t, m, writing, "claude-code")
		text := get(t, file)
		test.StrContains(t, text, `"n": 3`)
		test.StrContains(t, text, "nbduet")
		test.Eq(t, 4, n)
		if got := get(t, file+".nbduet-backup"); got != `{"n": 3}` {
			t.Errorf("the backup is %s", got)
		}
	}
	run(t, m, removing, "claude-code")
	n := 0
	clients.Meanwhile(func() {
		n++
		put(t, file, fmt.Sprintf("{\"n\": %d}", n), 0o600)
	})
	err := refused(t, m, writing, "claude-code")
	test.StrContains(t, err.Error(), "keeps writing")
	test.StrContains(t, get(t, file), fmt.Sprint(n))
	left(t, filepath.Join(m.Home, "x"), ".claude.json", ".claude.json.nbduet-backup")
}

// A person's additions to the entry stay; nbduet replaces command and arguments.
func TestEditedEntry(t *testing.T) {
	for _, c := range []struct{ client, before, after string }{
		{
			"cursor",
			"{\"mcpServers\": {\n  \"nbduet\": {\n    // mine\n    \"env\": {\n      \"NBDUET_READ_ONLY\": \"1\", // careful\n      \"JUPYTER_SERVER_URL\": \"http://old\"\n    },\n    \"disabled\": true,\n    \"args\": [\"-x\"],\n    \"command\": \"old\"\n  }\n}}",
			"{\"mcpServers\": {\n  \"nbduet\": {\n    // mine\n    \"env\": {\n      \"NBDUET_READ_ONLY\": \"1\", // careful\n      \"JUPYTER_SERVER_URL\": \"http://new\"\n    },\n    \"disabled\": true,\n    \"args\": [],\n    \"command\": \"PROGRAM\"\n  }\n}}",
		},
		{
			"vscode",
			"{\n\t\"servers\": {\n\t\t\"nbduet\": { \"command\": \"old\" }\n\t}\n}",
			"{\n\t\"servers\": {\n\t\t\"nbduet\": { \"command\": \"PROGRAM\", \"type\": \"stdio\", \"args\": [], \"env\": {\"JUPYTER_SERVER_URL\": \"http://new\"} }\n\t}\n}",
		},
		{
			"claude-code",
			"{\"mcpServers\": {\"nbduet\": {\"type\": \"stdio\", \"command\": \"old\", \"args\": [], \"alwaysLoad\": false}}}",
			"{\"mcpServers\": {\"nbduet\": {\"type\": \"stdio\", \"command\": \"PROGRAM\", \"args\": [], \"alwaysLoad\": false, \"env\": {\"JUPYTER_SERVER_URL\": \"http://new\"}}}}",
		},
		{
			"zed",
			"{\"context_servers\": {\"nbduet\": {\"command\": {\"path\": \"old\", \"args\": [\"a\"], \"env\": {\"A\": \"b\"}}, \"source\": \"custom\"}}}",
			"{\"context_servers\": {\"nbduet\": {\"command\": \"PROGRAM\", \"source\": \"custom\", \"args\": [], \"env\": {\"A\": \"b\", \"JUPYTER_SERVER_URL\": \"http://new\"}}}}",
		},
		{
			"jupyter-ai",
			"{\"mcp_servers\": [{\"name\": \"x\"}, {\n  \"name\": \"nbduet\",\n  \"command\": \"old\",\n  \"args\": [],\n  \"env\": [\n    {\"name\": \"A\", \"value\": \"b\"},\n    {\"name\": \"JUPYTER_SERVER_URL\", \"value\": \"http://old\"}\n  ]\n}]}",
			"{\"mcp_servers\": [{\"name\": \"x\"}, {\n  \"name\": \"nbduet\",\n  \"command\": \"PROGRAM\",\n  \"args\": [],\n  \"env\": [\n    {\"name\": \"A\", \"value\": \"b\"},\n    {\"name\": \"JUPYTER_SERVER_URL\", \"value\": \"http://new\"}\n  ]\n}]}",
		},
		{
			"codex",
			"# above\n[mcp_servers.nbduet] # mine\nargs = [ # none\n]\ncommand = 'old' # c\nstartup_timeout_sec = 20\n\n# of it\n[mcp_servers.nbduet.env]\nA = \"b\"\nJUPYTER_SERVER_URL = \"http://old\"\n\n# below\n[z] # z\n",
			"# above\n[mcp_servers.nbduet]\nargs = []\ncommand = 'PROGRAM'\nstartup_timeout_sec = 20\n\n[mcp_servers.nbduet.env]\nA = 'b'\nJUPYTER_SERVER_URL = 'http://new'\n\n# below\n[z] # z\n",
		},
		{
			"codex",
			"[mcp_servers.nbduet]\nenabled = false\n# next\n[z]\na = 1",
			"[mcp_servers.nbduet]\nargs = []\ncommand = 'PROGRAM'\nenabled = false\n\n[mcp_servers.nbduet.env]\nJUPYTER_SERVER_URL = 'http://new'\n# next\n[z]\na = 1",
		},
		{
			"codex",
			"[mcp_servers]\nnbduet = { command = \"old\", env = { A = \"b\" }, enabled = false }\nother = { command = \"x\" } # o\n",
			"[mcp_servers]\nother = { command = \"x\" } # o\n\n[mcp_servers.nbduet]\nargs = []\ncommand = 'PROGRAM'\nenabled = false\n\n[mcp_servers.nbduet.env]\nA = 'b'\nJUPYTER_SERVER_URL = 'http://new'\n",
		},
	} {
		t.Run(c.client+c.before, func(t *testing.T) {
			m := machine(t)
			file := fileOf(t, m, c.client)
			put(t, file, c.before, 0o600)
			want := strings.ReplaceAll(c.after, "PROGRAM", m.Program)
			config := clients.Config{Write: true, URL: "http://new"}
			if said, _ := run(t, m, config, c.client); !strings.Contains(said, file+".nbduet-backup") {
				t.Error(said)
			}
			if got := get(t, file); got != want {
				t.Errorf("it is\n%s\nnot\n%s", got, want)
			}
			if get(t, file+".nbduet-backup") != c.before {
				t.Error("the backup is another")
			}
			must.NoError(t, os.Remove(file+".nbduet-backup"))
			said, _ := run(t, m, config, c.client)
			test.StrContains(t, said, "unchanged")
			test.Eq(t, want, get(t, file))
			absent(t, file+".nbduet-backup")
			run(t, m, removing, c.client)
			if strings.Contains(get(t, file), "nbduet") {
				t.Errorf("taken out, it is %s", get(t, file))
			}
		})
	}
}

func TestUsage(t *testing.T) {
	m := machine(t)
	for _, c := range []struct {
		config clients.Config
		args   string
		says   string
	}{
		{clients.Config{}, "", "name a client, one of claude-desktop, claude-code"},
		{clients.Config{}, "claude-cod", `did you mean "claude-code"?`},
		{clients.Config{}, "emacs", "the clients are claude-desktop"},
		{clients.Config{}, "cursor zed", "unexpected argument zed"},
		{clients.Config{Write: true, Remove: true}, "cursor", "exclude each other"},
		{clients.Config{List: true, Remove: true}, "", "exclude each other"},
		{clients.Config{List: true}, "cursor", "unexpected argument cursor"},
		{clients.Config{List: true, File: "x"}, "", "--file"},
		{clients.Config{JSON: true}, "cursor", "--json needs --list"},
		{clients.Config{URL: "localhost:8888"}, "cursor", "such as http://localhost:8888"},
		{clients.Config{URL: "http://u:secret@h"}, "cursor", "--token-file"},
		{clients.Config{URL: "http://h:p/?token=secret"}, "cursor", "--jupyter-url"},
	} {
		err := refused(t, m, c.config, strings.Fields(c.args)...)
		var usage options.UsageError
		must.True(t, errors.As(err, &usage))
		test.StrContains(t, err.Error(), c.says)
		test.StrNotContains(t, err.Error(), "secret")
	}
	m.Home = ""
	if err := refused(t, m, writing, "cursor"); !strings.Contains(err.Error(), "HOME") {
		t.Error(err)
	}
}

// For any file, only the entry is changed, or the file is refused.
func FuzzEdits(f *testing.F) {
	for i, client := range []string{"cursor", "jupyter-ai", "codex"} {
		for _, text := range texts(client) {
			f.Add(uint8(i), text)
		}
	}
	f.Add(uint8(2), "[mcp_servers]\nnbduet.command = 1\n[mcp_servers.nbduet.env]\n\"a b\" = 2")
	f.Add(uint8(0), "{\"mcpServers\":{\"nbduet\":{\"env\":{},\"command\":1},\"nbduet\":{}}}")
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		edits := clients.EditsOf([]string{"cursor", "jupyter-ai", "codex"}[which%3], []string{"x", "y"}, map[string]string{"A": "b"})
		for with := []byte(text); ; {
			next, err := edits.Put(with)
			if err != nil {
				break
			}
			command, env, err := edits.Read(next)
			must.NoError(t, err, must.Sprint(next, text))
			must.Eq(t, "x y", strings.Join(command, " "), must.Sprint(next, text))
			must.Eq(t, "b", env["A"], must.Sprint(next, text))
			if string(next) == string(with) {
				break
			}
			with = next
		}
		if without, err := edits.Drop([]byte(text)); err == nil {
			command, _, err := edits.Read(without)
			must.NoError(t, err, must.Sprint(without, text))
			must.Nil(t, command, must.Sprint(without, text))
		}
	})
}
