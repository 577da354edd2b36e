package resource_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

func TestProjectResources(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		text := c.Must("context://project/overview")
		test.StrContains(t, text, "There is no project file \""+c.Path+"\"", test.Sprint("without a project file"))
		test.StrContains(t, text, "modules:\n", test.Sprint("without a project file"))
		c.Unread("context://module/auth", mcp.INTERNAL_ERROR, "Project file not found", "--project")
		c.WriteProject(sample.Shop)
		if text := c.Must("context://project/overview"); !strings.Contains(text, "# Project: My SaaS App\n\n**Type:** fullstack  \n") {
			t.Errorf("overview:\n%s", text)
		}
		if text := c.Must("context://module/auth"); !strings.Contains(text, "## Patterns (2)\n\n- Use JWT tokens in httpOnly cookies\n") {
			t.Errorf("module:\n%s", text)
		}
		c.Must("context://module/%C3%BCber%20uns")
		c.Unread("context://module/invalidModule", mcp.INVALID_PARAMS, "Module not found: invalidModule", "Module 'invalidModule' not found")
		c.Unread("context://module/", mcp.INVALID_PARAMS, "Module not found", "no module in the address")
		for _, unknown := range []string{"context://nothing/here", "context:bad", "context:", "context://"} {
			c.Unread(unknown, mcp.INVALID_REQUEST, "Unknown resource: "+unknown, "")
		}

		// The file is read again after a change.
		c.WriteProject(strings.Replace(sample.Shop, "My SaaS App", "Another", 1))
		toolstest.Soon(t, "the new name", func() bool { return strings.Contains(c.Must("context://project/overview"), "# Project: Another\n") })
		c.WriteProject("project:\n  name: [broken\n")
		toolstest.Soon(t, "the error", func() bool { _, err := c.Read("context://project/overview"); return err != nil })
		c.Unread("context://project/overview", mcp.INTERNAL_ERROR, "line ", "correct the project file")
		c.Unread("context://module/auth", mcp.INTERNAL_ERROR, "line ", "correct the project file")
	})
}

func TestSessionResources(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		if text := c.Must("context://session/current"); !strings.Contains(text, "No active session: it begins with this client's first tool call") {
			t.Errorf("before any call:\n%s", text)
		}
		path := c.Server.Notebook(t, "1")
		c.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)
		c.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)
		c.Bad("read_nb_cells", toolstest.Dict{"path": "none.ipynb"}, "none.ipynb")
		text := c.Must("context://session/current")
		test.StrContains(t, text, "## Files Accessed (1)\n\n### "+path+"\n**Access Count:** 2  \n", test.Sprint("current"))
		test.StrContains(t, text, "- **Tool Calls:** 3\n", test.Sprint("current"))
		text = c.Must("context://sessions/recent")
		test.StrHasPrefix(t, "# Recent Sessions (1)\n\n## Session ", text, test.Sprint("recent"))
		test.StrContains(t, text, "**Status:** active  \n**Files:** 1  \n", test.Sprint("recent"))
		for _, limit := range []string{"0", "-1", "abc", "101", ""} {
			c.Unread("context://sessions/recent?limit="+limit, mcp.INVALID_PARAMS, "Invalid limit", "from 1 to 100")
		}
		other := c.Attach(c.Mcp)
		defer func() {
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		}()
		res := c.CallAs(other, "record_context", toolstest.Dict{"topics": []string{"theirs"}})
		if res.IsError {
			t.Fatal(toolstest.MessageOf(res))
		}
		if text := c.Must("context://session/current"); strings.Contains(text, "theirs") {
			t.Errorf("another client's topic:\n%s", text)
		}
		text = c.Must("context://sessions/recent?limit=1")
		test.StrHasPrefix(t, "# Recent Sessions (1)\n", text, test.Sprint("recent, one"))
		test.StrContains(t, text, "**Topics:** theirs", test.Sprint("recent, one"))
	})
}

// A file is recorded once, whether its path is plain or percent-encoded.
func TestActivityOfEscapedPaths(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		nb := c.Server.Write(t, c.Server.Name(t, "-a b.ipynb"), c.Server.Read(t, c.Server.Notebook(t, "1")))
		text := c.Server.Write(t, c.Server.Name(t, "-a b.md"), "x\n")
		odd := c.Server.Write(t, c.Server.Name(t, "-c%20d.md"), "x\n") // its actual name
		escaped := func(path string) string { return strings.ReplaceAll(path, " ", "%20") }
		for _, call := range []struct{ tool, path string }{
			{"read_nb_cells", nb},
			{"read_nb_cells", escaped(nb)},
			{"get_document_content", escaped(text)},
			{"get_document_content", text},
			{"get_document_content", odd},
			{"query_document_session", escaped(nb)},
			{"end_nb_session", escaped(nb)},
		} {
			c.Good(call.tool, toolstest.Dict{"path": call.path}, nil)
		}
		said := c.Must("context://session/current")
		for path, calls := range map[string]int{nb: 4, text: 2, odd: 1} {
			if !strings.Contains(said, fmt.Sprintf("### %s\n**Access Count:** %d  \n", path, calls)) {
				t.Errorf("it does not have %d calls about %s:\n%s", calls, path, said)
			}
		}
		if !strings.Contains(said, "## Files Accessed (3)") {
			t.Errorf("there are other files:\n%s", said)
		}
	})
}

func TestRecordContext(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		c.Bad("record_context", toolstest.Dict{"discovery": "x", "module": "auth", "add_to": "patterns"}, "nothing was recorded", "there is no project file", c.Path, "leave out add_to")
		c.WriteProject(sample.Shop)
		file := func() string {
			b, err := os.ReadFile(filepath.Join(c.Server.Root, c.Path))
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		var got resource.RecordResult
		c.Good("record_context", toolstest.Dict{"topics": []string{"sales", "sales", "tax"}, "discovery": "prices are net"}, &got)
		test.Eq(t, 2, got.Topics)
		test.Eq(t, 1, got.Discoveries)
		test.Eq(t, "", got.Project)
		c.Good("record_context", toolstest.Dict{"discovery": "Never log tokens", "module": "auth", "add_to": "patterns"}, &got)
		must.NotNil(t, got.Added)
		test.True(t, *got.Added)
		test.Eq(t, 2, got.Discoveries)
		text := c.Must("context://module/auth")
		test.StrContains(t, text, "## Patterns (3)")
		test.StrContains(t, text, "- Never log tokens\n")
		c.Good("record_context", toolstest.Dict{"discovery": "Slow login", "solution": "an index", "module": "auth", "add_to": "commonIssues"}, &got)
		c.Good("record_context", toolstest.Dict{"discovery": "Never log tokens", "module": "auth", "add_to": "patterns"}, &got)
		must.NotNil(t, got.Added, must.Sprint("a second time it was added"))
		test.False(t, *got.Added, test.Sprint("a second time it was added"))
		want := strings.Replace(sample.Shop, "with mutex locks\n", "with mutex locks\n      - Never log tokens\n", 1)
		head, tail := want[:strings.Index(want, "    dependencies")], want[strings.Index(want, "    dependencies"):]
		var before string
		toolstest.Soon(t, "the file has it", func() bool {
			before = file()
			return strings.HasPrefix(before, head+"      - description: Slow login\n        solution: an index\n        discoveredAt: ") && strings.HasSuffix(before, tail)
		})
		for _, bad := range []struct {
			args toolstest.Dict
			want string
		}{
			{toolstest.Dict{}, "nothing to record"},
			{toolstest.Dict{"solution": "x"}, "give discovery"},
			{toolstest.Dict{"discovery": "x", "add_to": "patterns"}, "give module"},
			{toolstest.Dict{"discovery": "x", "module": "auth", "add_to": "commonIssues"}, "give solution"},
			{toolstest.Dict{"discovery": "x", "module": "none", "add_to": "patterns"}, "known are auth, über uns"},
			{toolstest.Dict{"discovery": "x", "module": "auth", "add_to": "name"}, "add_to"},
			{toolstest.Dict{"topics": []string{""}}, "topics"},
		} {
			c.Bad("record_context", bad.args, bad.want)
		}
		if now := file(); !strings.HasPrefix(before, now) { // the server may be saving it once more
			t.Errorf("a refused call has changed the file: %s", now)
		}
		if text := c.Must("context://session/current"); !strings.Contains(text, "- **Discoveries:** 4\n") {
			t.Errorf("current:\n%s", text)
		}
	})
}

// A project file that is empty for a moment while it is being written is read once it is complete.
func TestProjectFileBeingWritten(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		c.WriteProject("")
		time.AfterFunc(300*time.Millisecond, func() { c.WriteProject(sample.Shop) })
		if text := c.Must("context://module/auth"); !strings.Contains(text, "## Patterns (2)") {
			t.Errorf("the module is\n%s", text)
		}
	})
}

// The names are those of the contract, each module is listed, and every listed resource can be read at any time.
func TestContextIsListed(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		readAll := func() map[string]mcp.Resource {
			t.Helper()
			list := c.Listed(c.Client)
			for uri := range list {
				var req mcp.ReadResourceRequest
				req.Params.URI = uri
				if _, err := c.Client.ReadResource(t.Context(), req); err != nil {
					t.Errorf("%s is listed: %v", uri, err)
				}
			}
			return list
		}
		list := readAll() // before any activity, without a project file
		for uri, want := range map[string][2]string{
			resource.URIOverview:    {"Project Overview", "High-level project information, tech stack, and architecture"},
			resource.URICurrentWork: {"Current Session", "Active session information and activity"},
			resource.URIRecent:      {"Recent Sessions", "List of recent coding sessions"},
		} {
			got := list[uri]
			test.Eq(t, want[0], got.Name, test.Sprint(uri))
			test.Eq(t, want[1], got.Description, test.Sprint(uri))
			test.Eq(t, "text/markdown", got.MIMEType, test.Sprint(uri))
		}
		c.WriteProject("project: Shop\nmodules:\n  auth:\n    description: Who comes in\n    keyFiles: [src/auth.py]\n    patterns: [{a: b}]\n  über uns: {}\n")
		list = readAll()
		got := list["context://module/auth"]
		test.Eq(t, "Module: auth", got.Name, test.Sprint(len(list)))
		test.Eq(t, "Who comes in", got.Description, test.Sprint(len(list)))
		if _, ok := list["context://module/%C3%BCber%20uns"]; !ok {
			t.Errorf("a module is not among %d", len(list))
		}
		text := c.Must("context://project/overview")
		test.StrContains(t, text, "# Project: Shop\n", test.Sprint("overview"))
		test.StrContains(t, text, "- line 6: modules.auth.patterns[0] is a mapping {a}, wanted a text", test.Sprint("overview"))
	})
}

// A failed read is in the log, with its address and the reason.
func TestFailedReadsAreLogged(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		var log bytes.Buffer
		c := r.Connect(tools.Config{Work: r.Work, Version: "test", Activity: r.Record, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		defer func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}()
		for _, uri := range []string{"context://module/none", "notebook://x/y", "foo://x", "context:bad"} {
			log.Reset()
			if _, err := r.ReadURI(c, uri); err == nil {
				t.Errorf("%s is there", uri)
			}
			text := log.String()
			test.StrContains(t, text, `msg="Resource read failed" uri=`+uri+" ")
			test.StrContains(t, text, "reason=")
		}
	})
}

// No client sees the activity of a client that connected over the network, even after that has left.
func TestActivityIsTheClientsOwn(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		var clients tool.Clients
		s, err := tools.New(tools.Config{Work: c.Work, Version: "test", Activity: c.Record, Project: jupyter.MustPath(c.Path), Clients: &clients})
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
			got := read(who, "context://sessions/recent")
			test.StrNotContains(t, got, "hers alone")
			test.StrContains(t, got, "Recent Sessions (0)")
			if err := who.Leave(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if got := c.Must("context://sessions/recent"); strings.Contains(got, "hers alone") {
			t.Error(got)
		}
	})
}
