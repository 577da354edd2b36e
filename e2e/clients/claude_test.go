package clients_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// hostEntry is the entry of a host's configuration that starts a server.
type hostEntry struct {
	Command string
	Args    []string
	Env     map[string]string
}

// pageBlock returns a page's first code block in a language after a text.
func pageBlock(t *testing.T, page, after, language string) string {
	t.Helper()
	content, err := os.ReadFile(page)
	must.NoError(t, err)
	_, rest, found := strings.Cut(string(content), after)
	_, rest, opened := strings.Cut(rest, "\n```"+language+"\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	must.True(t, found, must.Sprint(language, after))
	must.True(t, opened, must.Sprint(language, after))
	must.True(t, closed, must.Sprint(language, after))
	return block
}

// readmeProgram is the path of the program in the README's configuration.
const readmeProgram = "/path/to/nbduet/bin/nbduet"

// fill replaces the README's examples, which must all be present, with this machine's program and server.
func (e *hostEntry) fill(t *testing.T) {
	t.Helper()
	file := kit.Binary(t)
	must.Eq(t, readmeProgram, e.Command)
	must.LessEq(t, 0, len(e.Args))
	e.Command = file
	for name, put := range map[string]struct{ example, real string }{
		"JUPYTER_SERVER_URL": {"http://localhost:8888", kit.Jupyter(t).URL},
		"JUPYTER_TOKEN":      {"…", kit.Jupyter(t).Token},
	} {
		if e.Env[name] != put.example {
			t.Errorf("%s is %q, want %q", name, e.Env[name], put.example)
		}
		e.Env[name] = put.real
	}
}

// work starts the program from the entry with the SDK that such hosts are built on, with an otherwise empty environment,
// and works with it.
func (e *hostEntry) work(t *testing.T, host string) {
	t.Helper()
	c := typescript(t, sdk.Options{Name: host, Command: e.Command, Args: e.Args, Env: e.Env})
	hello := c.Hello()
	test.Eq(t, "nbduet", hello.Server.Name)
	test.NotEq(t, "", hello.Protocol)
	must.NotNil(t, hello.Capabilities["tools"])
	test.NotEq(t, "", hello.Instructions)
	tools, err := c.Tools(t.Context())
	must.NoError(t, err)
	names := map[string]bool{}
	for _, tool := range tools {
		names[tool.Name] = true
	}
	for _, want := range []string{"list_nbs", "insert_nb_cells", "edit_text", "inspect_data", "find_tools"} {
		if !names[want] {
			t.Errorf("there is no tool %s by default", want)
		}
	}
	path := kit.NewNotebook(t, kit.Markdown("# Counts"))
	var s kit.Analysis
	typescriptDo(t, c, "session_create", map[string]any{"notebook_path": path}, &s)
	var ran kit.CodeResult
	typescriptDo(t, c, "execute_code", map[string]any{"session_id": s.SessionID, "code": "print('hello')"}, &ran)
	test.True(t, ran.Success)
	test.Eq(t, "hello\n", ran.Stdout)
	typescriptDo(t, c, "execute_code", map[string]any{"session_id": s.SessionID, "code": kit.Plot}, &ran)
	if len(ran.Images) != 1 {
		t.Fatalf("a plot is answered with %+v", ran)
	}
	got, err := c.Read(t.Context(), ran.Images[0].URI)
	must.NoError(t, err)
	must.SliceLen(t, 1, got)
	test.NotEq(t, "", got[0].Blob)
	cells, err := c.Call(t.Context(), "read_nb_cells", map[string]any{"path": path})
	must.NoError(t, err)
	said := cells.Text()
	test.StrHasPrefix(t, path+", 3 cells, ", said)
	test.StrContains(t, said, "\n"+kit.Plot+"\n")
	typescriptDo(t, c, "session_delete", map[string]any{"session_id": s.SessionID}, &struct{}{})
}

// The README's configuration is valid and starts a working server.
func TestReadmeConfiguration(t *testing.T) {
	var config struct {
		Servers map[string]hostEntry `json:"mcpServers"`
	}
	decoder := json.NewDecoder(strings.NewReader(pageBlock(t, "../../README.md", "## Usage", "json")))
	decoder.DisallowUnknownFields()
	must.NoError(t, decoder.Decode(&config))
	entry, ok := config.Servers["nbduet"]
	must.True(t, ok)
	must.MapLen(t, 1, config.Servers)
	entry.fill(t)
	entry.work(t, "claude-ai")
}
