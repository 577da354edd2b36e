package clients_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// hostEntry is how a host's configuration says to start a server.
type hostEntry struct {
	Command string
	Args    []string
	Env     map[string]string
}

// readmeBlock is the README's first code block of a language behind a text.
func readmeBlock(t *testing.T, after, language string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
	_, rest, found := strings.Cut(string(readme), after)
	_, rest, opened := strings.Cut(rest, "\n```"+language+"\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !opened || !closed {
		t.Fatalf("the README has no block of %s behind %q", language, after)
	}
	return block
}

// readmeProgram is where the README's configuration has the program.
const readmeProgram = "/path/to/nbduet/bin/nbduet"

// fill replaces the README's examples, each of which must be there, by this machine's program and server.
func (e *hostEntry) fill(t *testing.T) {
	t.Helper()
	file := kit.Binary(t)
	if e.Command != readmeProgram || len(e.Args) > 0 {
		t.Fatalf("the program is %q with %q", e.Command, e.Args)
	}
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

// work starts the program as the entry says, by the SDK that such hosts are
// built on and with nothing else in its environment, and works with it.
func (e *hostEntry) work(t *testing.T, host string) {
	t.Helper()
	c := typescript(t, sdk.Options{Name: host, Command: e.Command, Args: e.Args, Env: e.Env})
	if hello := c.Hello(); hello.Server.Name != "nbduet" || hello.Protocol == "" || hello.Capabilities["tools"] == nil || hello.Instructions == "" {
		t.Errorf("the server says %+v", hello)
	}
	tools, err := c.Tools(t.Context())
	must(t, err)
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
	if !ran.Success || ran.Stdout != "hello\n" {
		t.Errorf("execute_code answers %+v", ran)
	}
	typescriptDo(t, c, "execute_code", map[string]any{"session_id": s.SessionID, "code": kit.Plot}, &ran)
	if len(ran.Images) != 1 {
		t.Fatalf("a plot is answered with %+v", ran)
	}
	if got, err := c.Read(t.Context(), ran.Images[0].URI); err != nil || len(got) != 1 || got[0].Blob == "" {
		t.Errorf("%s is read as %.100v, %v", ran.Images[0].URI, got, err)
	}
	cells, err := c.Call(t.Context(), "read_nb_cells", map[string]any{"path": path})
	must(t, err)
	if said := cells.Text(); !strings.HasPrefix(said, path+", 3 cells, ") || !strings.Contains(said, "\n"+kit.Plot+"\n") {
		t.Errorf("the notebook reads\n%s", said)
	}
	typescriptDo(t, c, "session_delete", map[string]any{"session_id": s.SessionID}, &struct{}{})
}

// The README's configuration is valid, and what it starts is a server that works.
func TestReadmeConfiguration(t *testing.T) {
	var config struct {
		Servers map[string]hostEntry `json:"mcpServers"`
	}
	decoder := json.NewDecoder(strings.NewReader(readmeBlock(t, "## Usage", "json")))
	decoder.DisallowUnknownFields()
	must(t, decoder.Decode(&config))
	entry, ok := config.Servers["nbduet"]
	if !ok || len(config.Servers) != 1 {
		t.Fatalf("the block has %+v", config)
	}
	entry.fill(t)
	entry.work(t, "claude-ai")
}
