package clients_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
)

// all are the names of the clients.
var all = []string{"claude-desktop", "claude-code", "cursor", "vscode", "jupyter-ai", "codex", "gemini", "copilot", "zed", "windsurf"}

// machine returns a machine without clients, variables and programs in PATH. Its program is not below a folder for temporary
// files.
func machine(t *testing.T) clients.Machine {
	t.Helper()
	program, err := exec.LookPath("sh")
	must.NoError(t, err)
	home := t.TempDir()
	return clients.Machine{
		GOOS: "linux", Home: home, Program: program, Data: filepath.Join(home, "data"),
		Env:  func(string) string { return "" },
		Look: func(string) (string, error) { return "", exec.ErrNotFound },
	}
}

// fileOf returns the path of a client's file.
func fileOf(t *testing.T, m clients.Machine, client string) string {
	t.Helper()
	list, err := clients.List(m)
	must.NoError(t, err)
	for _, i := range list {
		if i.Name == client {
			return i.File
		}
	}
	t.Fatalf("there is no client %s", client)
	return ""
}

// run runs the command and returns its output.
func run(t *testing.T, m clients.Machine, c clients.Config, args ...string) (out, warn string) {
	t.Helper()
	var o, w bytes.Buffer
	if err := c.Run(args, m, &o, &w); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return o.String(), w.String()
}

// refused returns the error of a command.
func refused(t *testing.T, m clients.Machine, c clients.Config, args ...string) error {
	t.Helper()
	var o, w bytes.Buffer
	err := c.Run(args, m, &o, &w)
	if err == nil {
		t.Fatalf("%+v %v is not refused, and says %s", c, args, o.String())
	}
	return err
}

func put(t *testing.T, file, text string, mode fs.FileMode) {
	t.Helper()
	must.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must.NoError(t, os.WriteFile(file, []byte(text), mode))
	must.NoError(t, os.Chmod(file, mode))
}

func get(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	must.NoError(t, err)
	return string(text)
}

func absent(t *testing.T, file string) {
	t.Helper()
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there (%v)", file, err)
	}
}

// The printed configuration, and the content of a new file.
func TestPrinted(t *testing.T) {
	env := func(begin, end string) string {
		return begin + `"JUPYTER_SERVER_URL": "http://localhost:8888/", "JUPYTER_TOKEN_FILE": "TOKENS/localhost-8888"` + end
	}
	for client, want := range map[string]string{
		"claude-desktop": `{ "mcpServers": { "nbduet": { "command": "PROGRAM", "args": [], ` + env(`"env": { `, ` } } } }`),
		"claude-code":    `{ "mcpServers": { "nbduet": { "type": "stdio", "command": "PROGRAM", "args": [], "alwaysLoad": true, ` + env(`"env": { `, ` } } } }`),
		"cursor":         `{ "mcpServers": { "nbduet": { "command": "PROGRAM", "args": [], ` + env(`"env": { `, ` } } } }`),
		"vscode":         `{ "servers": { "nbduet": { "type": "stdio", "command": "PROGRAM", "args": [], ` + env(`"env": { `, ` } } } }`),
		"jupyter-ai": `{ "mcp_servers": [ { "name": "nbduet", "command": "PROGRAM", "args": [], "env": [ ` +
			`{ "name": "JUPYTER_SERVER_URL", "value": "http://localhost:8888/" }, { "name": "JUPYTER_TOKEN_FILE", "value": "TOKENS/localhost-8888" } ] } ] }`,
		"codex": `[mcp_servers.nbduet] args = [] command = 'PROGRAM' [mcp_servers.nbduet.env] ` +
			`JUPYTER_SERVER_URL = 'http://localhost:8888/' JUPYTER_TOKEN_FILE = 'TOKENS/localhost-8888'`,
		"gemini": `{ "mcpServers": { "nbduet": { "command": "PROGRAM", "args": [], ` + env(`"env": { `, ` } } } }`),
		"copilot": `{ "mcpServers": { "nbduet": { "type": "local", "command": "PROGRAM", "args": [], "deferTools": "never", "tools": ["*"], ` +
			env(`"env": { `, ` } } } }`),
		"zed":      `{ "context_servers": { "nbduet": { "command": "PROGRAM", "args": [], ` + env(`"env": { `, ` } } } }`),
		"windsurf": `{ "mcpServers": { "nbduet": { "command": "PROGRAM", "args": [], ` + env(`"env": { `, ` } } } }`),
	} {
		t.Run(client, func(t *testing.T) {
			m := machine(t)
			want := strings.NewReplacer("PROGRAM", m.Program, "TOKENS", filepath.Join(m.Data, "tokens")).Replace(want)
			c := clients.Config{URL: "http://localhost:8888/?token=secret"}
			out, warn := run(t, m, c, client)
			got := strings.Join(strings.Fields(out), " ")
			test.Eq(t, want, got)
			test.StrHasSuffix(t, "\n", out)
			file := fileOf(t, m, client)
			comment := warn[:1]
			test.Eq(t, 1, strings.Count(warn, "\n"+comment))
			test.StrContains(t, warn, file)
			test.StrContains(t, warn, "localhost-8888, which only you")
			test.StrNotContains(t, warn+out, "secret")
			absent(t, m.Data)
			absent(t, file)

			c.Write = true
			said, _ := run(t, m, c, client)
			if got := get(t, file); got != out {
				t.Errorf("it writes\n%s\nnot\n%s", got, out)
			}
			test.Eq(t, 1, strings.Count(said, "\n"))
			test.StrContains(t, said, file)
			test.StrNotContains(t, said, "backup")
			test.StrNotContains(t, said, "secret")
			absent(t, file+".nbduet-backup")
			info, err := os.Stat(file)
			must.NoError(t, err)
			test.Eq(t, 0o600, info.Mode().Perm())
			if again, _ := run(t, m, c, client); !strings.Contains(again, "unchanged") {
				t.Errorf("the second time it says %q", again)
			}
			absent(t, file+".nbduet-backup")
		})
	}
}

// texts returns files of a client with other entries. After adding and removing an entry they are identical to the byte.
func texts(client string) map[string]string {
	texts := map[string]string{ // ( and ) enclose the servers; @ is one of them
		"plain":               "{\n  \"KEY\": (\n    @\n  ),\n  \"z\": 1, \"a\": [1,2,  3]\n}\n",
		"none":                "{\n  \"KEY\": (),\n  \"z\": 1.50\n}",
		"none, with space":    "{\n  \"KEY\": ( )\n}",
		"comments":            "// above\n{ // first\n  /* of the key */ \"KEY\": ( // servers\n    // other's\n    @ // its end\n    // last\n  ) /* behind */ ,\n  // \"a\": 1\n}\n// end",
		"trailing commas":     "{\n  \"KEY\": (\n    @, // its end\n    // \"more\": {},\n  ),\n}\n",
		"tabs":                "{\n\t\"KEY\": (\n\t\t@\n\t)\n}\n",
		"four":                "{\n    \"a\": 1,\n    \"KEY\": (\n        @\n    )\n}\n",
		"minified":            `{"a":1,"KEY":(@),"b":[1,2]}`,
		"minified, none":      `{"a":1,"KEY":(),"b":[1,2]}`,
		"on one line":         `{"a": 1, "KEY": (@)}` + "\n",
		"servers on one line": "{\n  \"KEY\": ( @ ), // c\n  \"b\": 2\n}\n",
		"comma on one line":   "{\n  \"KEY\": ( @, ),\n}\n",
		"brackets below":      "{\n  \"KEY\":\n  (\n    @\n  )\n}",
		"escapes":             "{\n  \"é\\u00e9 <&>\": 1e400,\n  \"KEY\": (\n    @\n  )\n}\n",
	}
	other := `"other": {"command": "\"//", "args": []}`
	servers := strings.NewReplacer("(", "{", ")", "}", "@", other)
	if client == "jupyter-ai" {
		servers = strings.NewReplacer("(", "[", ")", "]", "@", `{"name": "other", "command": "\"//"}`)
	}
	for name, text := range texts {
		if strings.HasPrefix(name, "minified") {
			text = strings.ReplaceAll(servers.Replace(text), `": `, `":`)
			texts[name] = strings.ReplaceAll(text, `, "`, `,"`)
		} else {
			texts[name] = servers.Replace(text)
		}
	}
	if client == "codex" {
		texts = map[string]string{
			"plain":           "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[tui]\na = 1\n",
			"comments":        "# above\nmodel = \"x\" # model\n\n# servers\n[mcp_servers.other] # other's\n# what starts it\ncommand = \"x\" # x\n\n# end\n",
			"several lines":   "notify = [\n  \"a\", # one\n  \"[mcp_servers.nbduet]\",\n]\nx = '''\n[mcp_servers.nbduet]\ncommand = 1\n'''\n",
			"dotted":          "mcp_servers.other.command = \"x\"\nmcp_servers.other.args = []\n",
			"header of all":   "[mcp_servers]\nother = { command = \"x\" }\n\n[z]\n",
			"array of tables": "[[a]]\nb = 1979-05-27T07:32:00Z\n[[a]]\nb = 0x10\n",
			"similar names":   "[mcp_servers.\"nbduet.env\"]\ncommand = \"x\"\n\n[mcp_servers.nbduet2]\ncommand = \"x\"\n",
		}
	}
	key := map[string]string{"vscode": "servers", "jupyter-ai": "mcp_servers", "zed": "context_servers"}[client]
	if key == "" {
		key = "mcpServers"
	}
	kinds := make(map[string]string)
	for name, text := range texts {
		text = strings.ReplaceAll(text, "KEY", key)
		kinds[name] = text
		kinds[name+", byte order mark"] = "\ufeff" + text
		if strings.Contains(text, "\n") {
			kinds[name+", CRLF"] = strings.ReplaceAll(text, "\n", "\r\n")
		}
	}
	return kinds
}

func TestKept(t *testing.T) {
	command := []string{"/usr/bin/x y", "--a=\"b\"", `C:\d`, "é"}
	env := map[string]string{"ONE": `'"$x\`, "TWO": ""}
	for _, client := range all {
		edits := clients.EditsOf(client, command, env)
		for name, text := range texts(client) {
			t.Run(client+"/"+name, func(t *testing.T) {
				with, err := edits.Put([]byte(text))
				if err != nil {
					t.Fatalf("%v in\n%s", err, text)
				}
				got, variables, err := edits.Read(with)
				must.NoError(t, err, must.Sprint(with))
				test.Eq(t, strings.Join(command, "|"), strings.Join(got, "|"), test.Sprint(with))
				test.Eq(t, env["ONE"], variables["ONE"], test.Sprint(with))
				test.MapLen(t, 2, variables, test.Sprint(with))
				crlf := strings.Count(text, "\r\n")
				test.False(t, crlf > 0 && bytes.Count(with, []byte("\n")) != bytes.Count(with, []byte("\r\n")))
				test.False(t, crlf == 0 && bytes.Contains(with, []byte("\r")))
				again, err := edits.Put(with)
				must.NoError(t, err)
				test.True(t, bytes.Equal(again, with))
				without, err := edits.Drop(with)
				// white space in empty brackets is removed, too
				want := strings.Replace(text, "{ }", "{}", 1)
				must.NoError(t, err, must.Sprint(text, with))
				test.Eq(t, strings.Replace(want, "[ ]", "[]", 1), string(without), test.Sprint(text, with))
			})
		}
	}
}
