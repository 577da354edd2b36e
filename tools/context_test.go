package tools

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// contextRig has a project file of its own.
type contextRig struct {
	*rig
	mcp  *server.MCPServer
	path string // of the project file
}

func newContextRig(t *testing.T) *contextRig {
	t.Helper()
	r := newRig(t)
	c := &contextRig{rig: r, path: r.server.Name(t, "-project.yaml")}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	var err error
	if c.mcp, err = New(Config{Work: r.work, Version: "test", Toolsets: toolsetNames(), Logger: log, Activity: r.record, Project: c.path}); err != nil {
		t.Fatal(err)
	}
	if err := r.client.Close(); err != nil {
		t.Fatal(err)
	}
	r.client = r.attach(c.mcp)
	return c
}

// read reads a resource.
func (c *contextRig) read(uri string) (string, error) {
	c.t.Helper()
	var req mcp.ReadResourceRequest
	req.Params.URI = uri
	res, err := c.client.ReadResource(c.t.Context(), req)
	if err != nil {
		return "", err
	}
	text, ok := res.Contents[0].(mcp.TextResourceContents)
	if !ok || len(res.Contents) != 1 || text.URI != uri || text.MIMEType != "text/markdown" {
		c.t.Errorf("%s: %+v", uri, res.Contents)
	}
	return text.Text, nil
}

func (c *contextRig) must(uri string) string {
	c.t.Helper()
	text, err := c.read(uri)
	if err != nil {
		c.t.Fatalf("%s: %v", uri, err)
	}
	return text
}

// unread holds the answer to a read against code, message, and the reason in its data.
func (c *contextRig) unread(uri string, code int, message, reason string) {
	c.t.Helper()
	request := fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": %q}}`, uri)
	b, err := json.Marshal(c.mcp.HandleMessage(c.t.Context(), json.RawMessage(request)))
	if err != nil {
		c.t.Fatal(err)
	}
	var got struct {
		Error struct {
			Code    int
			Message string
			Data    struct{ Resource, Reason string }
		}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		c.t.Fatal(err)
	}
	if e := got.Error; e.Code != code || !strings.Contains(e.Message, message) || e.Data.Resource != uri || !strings.Contains(e.Data.Reason, reason) {
		c.t.Errorf("%s: %s; want %d %q %q", uri, b, code, message, reason)
	}
}

func (c *contextRig) writeProject(text string) {
	c.t.Helper()
	c.server.Write(c.t, c.path, text)
}

// soon waits until something holds.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to this: %s", what)
		}
	}
}

func TestProjectResources(t *testing.T) {
	c := newContextRig(t)
	c.unread("context://project/overview", mcp.INTERNAL_ERROR, "Project file not found", "--project")
	c.writeProject(toolstest.Shop)
	if text := c.must("context://project/overview"); !strings.Contains(text, "# Project: My SaaS App\n\n**Type:** fullstack  \n") {
		t.Errorf("overview:\n%s", text)
	}
	if text := c.must("context://module/auth"); !strings.Contains(text, "## Patterns (2)\n\n- Use JWT tokens in httpOnly cookies\n") {
		t.Errorf("module:\n%s", text)
	}
	c.must("context://module/%C3%BCber%20uns")
	c.unread("context://module/invalidModule", mcp.INVALID_PARAMS, "Module not found: invalidModule", "Module 'invalidModule' not found")
	c.unread("context://module/", mcp.INVALID_PARAMS, "Module not found", "names no module")
	c.unread("context://nothing/here", mcp.INVALID_REQUEST, "Unknown resource: context://nothing/here", "")

	// The file is read again when it has changed.
	c.writeProject(strings.Replace(toolstest.Shop, "My SaaS App", "Another", 1))
	soon(t, "the new name", func() bool { return strings.Contains(c.must("context://project/overview"), "# Project: Another\n") })
	c.writeProject("project:\n  name: [broken\n")
	soon(t, "the error", func() bool { _, err := c.read("context://project/overview"); return err != nil })
	c.unread("context://project/overview", mcp.INTERNAL_ERROR, "line ", "correct the project file")
	c.unread("context://module/auth", mcp.INTERNAL_ERROR, "line ", "correct the project file")
}

func TestSessionResources(t *testing.T) {
	c := newContextRig(t)
	c.unread("context://session/current", mcp.INVALID_PARAMS, "No active session", "first tool call")
	path := c.server.Notebook(t, "1")
	c.good("read_nb_cells", dict{"path": path}, nil)
	c.good("read_nb_cells", dict{"path": path}, nil)
	c.bad("read_nb_cells", dict{"path": "none.ipynb"}, "none.ipynb")
	text := c.must("context://session/current")
	if !strings.Contains(text, "## Files Accessed (1)\n\n### "+path+"\n**Access Count:** 2  \n") || !strings.Contains(text, "- **Tool Calls:** 3\n") {
		t.Errorf("current:\n%s", text)
	}
	if text := c.must("context://sessions/recent"); !strings.HasPrefix(text, "# Recent Sessions (1)\n\n## Session ") || !strings.Contains(text, "**Status:** active  \n**Files:** 1  \n") {
		t.Errorf("recent:\n%s", text)
	}
	for _, limit := range []string{"0", "-1", "abc", "101", ""} {
		c.unread("context://sessions/recent?limit="+limit, mcp.INVALID_PARAMS, "Invalid limit", "from 1 to 100")
	}
	other := c.attach(c.mcp)
	defer func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}()
	res := c.callAs(other, "record_context", dict{"topics": []string{"theirs"}})
	if res.IsError {
		t.Fatal(messageOf(res))
	}
	if text := c.must("context://session/current"); strings.Contains(text, "theirs") {
		t.Errorf("another client's topic:\n%s", text)
	}
	if text := c.must("context://sessions/recent?limit=1"); !strings.HasPrefix(text, "# Recent Sessions (1)\n") || !strings.Contains(text, "**Topics:** theirs") {
		t.Errorf("recent, one:\n%s", text)
	}
}

func TestRecordContext(t *testing.T) {
	c := newContextRig(t)
	c.writeProject(toolstest.Shop)
	file := func() string {
		b, err := os.ReadFile(filepath.Join(c.server.Root, c.path))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var got resource.RecordResult
	c.good("record_context", dict{"topics": []string{"sales", "sales", "tax"}, "discovery": "prices are net"}, &got)
	if got.Topics != 2 || got.Discoveries != 1 || got.Project != "" {
		t.Errorf("%+v", got)
	}
	c.good("record_context", dict{"discovery": "Never log tokens", "module": "auth", "add_to": "patterns"}, &got)
	if got.Added == nil || !*got.Added || got.Discoveries != 2 {
		t.Errorf("%+v", got)
	}
	if text := c.must("context://module/auth"); !strings.Contains(text, "## Patterns (3)") || !strings.Contains(text, "- Never log tokens\n") {
		t.Errorf("right afterwards the module is\n%s", text)
	}
	c.good("record_context", dict{"discovery": "Slow login", "solution": "an index", "module": "auth", "add_to": "commonIssues"}, &got)
	c.good("record_context", dict{"discovery": "Never log tokens", "module": "auth", "add_to": "patterns"}, &got)
	if got.Added == nil || *got.Added {
		t.Errorf("a second time it was added: %+v", got)
	}
	want := strings.Replace(toolstest.Shop, "with mutex locks\n", "with mutex locks\n      - Never log tokens\n", 1)
	head, tail := want[:strings.Index(want, "    dependencies")], want[strings.Index(want, "    dependencies"):]
	var before string
	soon(t, "the file has it", func() bool {
		before = file()
		return strings.HasPrefix(before, head+"      - description: Slow login\n        solution: an index\n        discoveredAt: ") && strings.HasSuffix(before, tail)
	})
	for _, bad := range []struct {
		args dict
		want string
	}{
		{dict{}, "nothing to keep"},
		{dict{"solution": "x"}, "give discovery"},
		{dict{"discovery": "x", "add_to": "patterns"}, "give module"},
		{dict{"discovery": "x", "module": "auth", "add_to": "commonIssues"}, "give solution"},
		{dict{"discovery": "x", "module": "none", "add_to": "patterns"}, "there are auth, über uns"},
		{dict{"discovery": "x", "module": "auth", "add_to": "name"}, "add_to"},
		{dict{"topics": []string{""}}, "topics"},
	} {
		c.bad("record_context", bad.args, bad.want)
	}
	if now := file(); !strings.HasPrefix(before, now) { // the server may be writing it once more
		t.Errorf("a refused call has changed the file: %s", now)
	}
	if text := c.must("context://session/current"); !strings.Contains(text, "- **Discoveries:** 4\n") {
		t.Errorf("current:\n%s", text)
	}
}

// What a client that came over the network has worked on, no other sees, not
// when it has left either.
func TestActivityIsTheClientsOwn(t *testing.T) {
	c := newContextRig(t)
	var clients tool.Clients
	s, err := New(Config{Work: c.work, Version: "test", Activity: c.record, Project: c.path, Clients: &clients})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(who *tool.Client, request string) string {
		t.Helper()
		b, err := json.Marshal(s.HandleMessage(tool.WithClient(t.Context(), who), json.RawMessage(`{"jsonrpc": "2.0", "id": 1, `+request+`}`)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	read := func(who *tool.Client, uri string) string {
		return ask(who, `"method": "resources/read", "params": {"uri": "`+uri+`"}`)
	}
	ada, bob := clients.Enter(), clients.Enter()
	ask(ada, `"method": "tools/call", "params": {"name": "record_context", "arguments": {"topics": ["hers alone"]}}`)
	if got := read(ada, "context://session/current"); !strings.Contains(got, "hers alone") {
		t.Error(got)
	}
	if got := read(ada, "context://sessions/recent"); !strings.Contains(got, "hers alone") {
		t.Error(got)
	}
	if got := read(bob, "context://session/current"); !strings.Contains(got, "No active session") {
		t.Error(got)
	}
	if err := ada.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := read(ada, "context://session/current"); !strings.Contains(got, "No active session") {
		t.Error(got)
	}
	for _, who := range []*tool.Client{bob, clients.Enter()} {
		if got := read(who, "context://sessions/recent"); strings.Contains(got, "hers alone") || !strings.Contains(got, "Recent Sessions (0)") {
			t.Error(got)
		}
		if err := who.Leave(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got := c.must("context://sessions/recent"); strings.Contains(got, "hers alone") {
		t.Error(got)
	}
}
