package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/session/store/journal"
	"github.com/nbduet/nbduet/session/store/sqlite"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
)

// Rig is an MCP client of the tools, on a Jupyter server.
type Rig struct {
	T      *testing.T
	Server *jupytertest.Server
	Srv    *jupyter.Server
	Work   *deps.Work
	Client *client.Client
	full   *client.Client  // the first one, which receives structured content
	Record *activity.Store // of the clients' activity
	Who    *tool.Client    // the origin of all calls; nil where each MCP client is one
}

// New makes a Rig on the server that the tests share.
func New(t *testing.T) *Rig { return NewOn(t, jupytertest.Shared(t)) }

// NewOn makes a Rig on the test's own server.
func NewOn(t *testing.T, s *jupytertest.Server) *Rig {
	t.Helper()
	return newOn(t, s, 0, time.Minute)
}

// NewWithTimeout makes a Rig whose calls wait at most timeout for the server.
func NewWithTimeout(t *testing.T, s *jupytertest.Server, timeout time.Duration) *Rig {
	t.Helper()
	return newOn(t, s, timeout, timeout)
}

// newOn makes a Rig whose requests and calls wait for the given times.
func newOn(t *testing.T, s *jupytertest.Server, request, call time.Duration) *Rig {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP(), Timeout: request})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	edits := journal.New(journal.Options{Path: sqlite.Memory, Logger: log})
	m := deps.NewWork(session.New(session.Config{Server: srv, Logger: log, ServerTimeout: call, Journal: edits}))
	record, err := activity.Open(t.Context(), activity.Options{Path: activity.Memory})
	if err != nil {
		t.Fatal(err)
	}
	r := &Rig{T: t, Server: s, Srv: srv, Work: m, Record: record}
	r.Client = r.Connect(tools.Config{Work: m, Version: "test", Toolsets: tools.ToolsetNames(), OutputSchemas: tools.FullOutputs, Logger: log, Activity: record})
	r.full = r.Client
	t.Cleanup(func() {
		if err := r.Client.Close(); err != nil {
			t.Error(err)
		}
		// A room that cannot be left, because the test has removed its server, is not a failure.
		if err := m.Close(context.Background()); err != nil {
			t.Log("close:", err)
		}
		if err := errors.Join(record.Close(context.Background()), edits.Close(context.Background())); err != nil {
			t.Error(err)
		}
		r.shutKernels()
		srv.CloseIdleConnections()
	})
	return r
}

// shutKernels ends the kernels of the test's own notebooks, which would otherwise stay on the shared server.
func (r *Rig) shutKernels() {
	sessions, err := r.Srv.Sessions.List(context.Background())
	if err != nil {
		return // the test never had a server
	}
	name := r.Server.Name(r.T, "")
	own := name[:strings.LastIndexByte(name, '-')+1]
	for _, s := range sessions {
		if strings.HasPrefix(s.Path.String(), own) {
			if err := r.Srv.Kernels.Shutdown(context.Background(), s.Kernel.ID); err != nil {
				r.T.Log("end a kernel:", err)
			}
		}
	}
}

// Connect makes an MCP server and a client of it.
func (r *Rig) Connect(cfg tools.Config) *client.Client {
	r.T.Helper()
	s, err := tools.New(cfg)
	if err != nil {
		r.T.Fatal(err)
	}
	return r.Attach(s)
}

// Tick advances the clock, also in a bubble of testing/synctest: mcp-go derives the ids of in-process clients from the time.
func Tick() { time.Sleep(time.Nanosecond) }

// Attach makes a client of an MCP server.
func (r *Rig) Attach(s *server.MCPServer) *client.Client {
	r.T.Helper()
	Tick()
	c, err := client.NewInProcessClient(s)
	if err != nil {
		r.T.Fatal(err)
	}
	if err := c.Start(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	if _, err := c.Initialize(r.T.Context(), hello); err != nil {
		r.T.Fatal(err)
	}
	return c
}

// Dict is a JSON object.
type Dict = map[string]any

// Call calls a tool and returns its result, after checking the general rules for results.
func (r *Rig) Call(name string, args Dict) *mcp.CallToolResult {
	r.T.Helper()
	return r.CallAs(r.Client, name, args)
}

// CallAs is Call through another MCP client.
func (r *Rig) CallAs(c *client.Client, name string, args Dict) *mcp.CallToolResult {
	r.T.Helper()
	var req mcp.CallToolRequest
	req.Params.Name = name
	req.Params.Arguments = args
	ctx := r.T.Context()
	if r.Who != nil {
		ctx = tool.WithClient(ctx, r.Who)
	}
	res, err := c.CallTool(ctx, req)
	if err != nil {
		r.T.Fatalf("%s: protocol error: %v", name, err)
	}
	r.check(name, res, c == r.full)
	return res
}

// MessageOf returns the first text of a result.
func MessageOf(res *mcp.CallToolResult) string {
	if len(res.Content) == 0 {
		return ""
	}
	text, _ := res.Content[0].(mcp.TextContent)
	return text.Text
}

// ImagesOf returns the images of a result.
func ImagesOf(res *mcp.CallToolResult) (out []mcp.ImageContent) {
	for _, c := range res.Content {
		if img, ok := c.(mcp.ImageContent); ok {
			out = append(out, img)
		}
	}
	return out
}

// Good calls a tool that must succeed and decodes its result into dst.
func (r *Rig) Good(name string, args Dict, dst any) *mcp.CallToolResult {
	r.T.Helper()
	res := r.Call(name, args)
	if res.IsError {
		r.T.Fatalf("%s: %s", name, MessageOf(res))
	}
	if dst != nil {
		Decode(r.T, res, dst)
	}
	return res
}

// Decode reads the JSON of a result into dst.
func Decode(t *testing.T, res *mcp.CallToolResult, dst any) {
	t.Helper()
	if err := json.Unmarshal([]byte(MessageOf(res)), dst); err != nil {
		t.Fatal(err)
	}
}

// Bad calls a tool that must return an error that contains all of says.
func (r *Rig) Bad(name string, args Dict, says ...string) {
	r.T.Helper()
	res := r.Call(name, args)
	message := MessageOf(res)
	if !res.IsError {
		r.T.Fatalf("%s accepts %v: %s", name, args, message)
	}
	if len(res.Content) != 1 || res.StructuredContent != nil {
		r.T.Errorf("%s: an error with %d contents, structured %v", name, len(res.Content), res.StructuredContent)
	}
	for _, want := range says {
		if !strings.Contains(message, want) {
			r.T.Errorf("%s %v: %q does not say %q", name, args, message, want)
		}
	}
}

// Read returns the whole notebook as read_nb_cells shows it.
func (r *Rig) Read(path string) notebook.ReadResult {
	r.T.Helper()
	var out notebook.ReadResult
	r.Good("read_nb_cells", Dict{"path": path}, &out)
	return out
}

// Sources returns the sources of the notebook's cells in the shared document.
func (r *Rig) Sources(path string) []string {
	r.T.Helper()
	out := []string{}
	for _, c := range r.Read(path).Cells {
		out = append(out, c.Source)
	}
	return out
}

// Unchanged returns a function that checks that the notebook's content has not changed since.
func (r *Rig) Unchanged(path string) func() {
	r.T.Helper()
	before := r.Read(path)
	return func() {
		r.T.Helper()
		after := r.Read(path)
		if before.Revision != after.Revision || !reflect.DeepEqual(before.Cells, after.Cells) {
			r.T.Errorf("the notebook was changed:\n%+v\n%+v", before, after)
		}
	}
}

// Person returns another participant of the same rooms, with separate sessions.
func (r *Rig) Person() *Rig {
	r.T.Helper()
	return NewOn(r.T, r.Server)
}

// With returns the arguments of a call with one argument added or replaced.
func With(args Dict, name string, value any) Dict {
	out := maps.Clone(args)
	out[name] = value
	return out
}
