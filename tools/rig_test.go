package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/activity"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
)

// rig is an MCP client of the tools, on a Jupyter server.
type rig struct {
	t      *testing.T
	server *jupytertest.Server
	srv    *jupyter.Server
	work   *desk.Work
	client *client.Client
	record *activity.Store // of what the clients do
	who    *tool.Client    // that all calls come from; nil where each MCP client is one
}

// newRig makes one on the server that the tests share.
func newRig(t *testing.T) *rig { return newRigOn(t, jupytertest.Shared(t)) }

func newRigOn(t *testing.T, s *jupytertest.Server) *rig {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	m := desk.NewWork(session.New(session.Config{Server: srv, Logger: log}))
	record, err := activity.Open(t.Context(), activity.Options{Path: activity.Memory})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, server: s, srv: srv, work: m, record: record}
	r.client = r.connect(Config{Work: m, Version: "test", Toolsets: toolsetNames(), Logger: log, Activity: record})
	t.Cleanup(func() {
		if err := r.client.Close(); err != nil {
			t.Error(err)
		}
		// A room that cannot be left, because the test has taken its server away, is no failure.
		if err := m.Close(context.Background()); err != nil {
			t.Log("close:", err)
		}
		if err := record.Close(context.Background()); err != nil {
			t.Error(err)
		}
		r.shutKernels()
		srv.CloseIdleConnections()
	})
	return r
}

// shutKernels ends the kernels of the test's own notebooks, which would stay on the shared server.
func (r *rig) shutKernels() {
	sessions, err := r.srv.Sessions(context.Background())
	if err != nil {
		return // the test had no server to begin with
	}
	name := r.server.Name(r.t, "")
	own := name[:strings.LastIndexByte(name, '-')+1]
	for _, s := range sessions {
		if strings.HasPrefix(s.Path, own) {
			if err := r.srv.ShutdownKernel(context.Background(), s.Kernel.ID); err != nil {
				r.t.Log("end a kernel:", err)
			}
		}
	}
}

// connect makes an MCP server and a client of it.
func (r *rig) connect(cfg Config) *client.Client {
	r.t.Helper()
	s, err := New(cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.attach(s)
}

// attach makes a client of an MCP server.
func (r *rig) attach(s *server.MCPServer) *client.Client {
	r.t.Helper()
	c, err := client.NewInProcessClient(s)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := c.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	if _, err := c.Initialize(r.t.Context(), hello); err != nil {
		r.t.Fatal(err)
	}
	return c
}

type dict = map[string]any

// call calls a tool and returns its result, which it holds against everything that a result must be.
func (r *rig) call(name string, args dict) *mcp.CallToolResult {
	r.t.Helper()
	return r.callAs(r.client, name, args)
}

func (r *rig) callAs(c *client.Client, name string, args dict) *mcp.CallToolResult {
	r.t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name = name
	req.Params.Arguments = args
	ctx := r.t.Context()
	if r.who != nil {
		ctx = tool.WithClient(ctx, r.who)
	}
	res, err := c.CallTool(ctx, req)
	if err != nil {
		r.t.Fatalf("%s: protocol error: %v", name, err)
	}
	r.check(name, res)
	return res
}

func (r *rig) check(name string, res *mcp.CallToolResult) {
	r.t.Helper()
	b, err := json.Marshal(res)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(b) > tool.MaxAnswerBytes {
		r.t.Errorf("%s: the answer takes %d bytes", name, len(b))
	}
	if bytes.Contains(b, []byte(r.server.Token)) {
		r.t.Errorf("%s: the answer holds the token", name)
	}
	if res.IsError {
		return
	}
	if body, ok := res.StructuredContent.(map[string]any); ok && body["kind"] != nil {
		r.checkUsed(name, res, body)
		return
	}
	text := messageOf(res)
	var asText any
	if err := json.Unmarshal([]byte(text), &asText); err != nil {
		r.t.Fatalf("%s: the text is not JSON: %v", name, err)
	}
	if !reflect.DeepEqual(asText, firstPart(name, res.StructuredContent)) {
		r.t.Errorf("%s: text and structured content differ:\n%s\n%s", name, text, b)
	}
	if err := strict(r.t, name).Validate(res.StructuredContent); err != nil {
		r.t.Errorf("%s: the result is not what its schema says: %v\n%s", name, err, text)
	}
}

// checkUsed checks an answer of the toolset datalayer, which is no JSON: its texts are those of the result.
func (r *rig) checkUsed(name string, res *mcp.CallToolResult, body dict) {
	r.t.Helper()
	var want, got []string
	switch result := body["result"].(type) {
	case string:
		want = []string{result}
	case []any:
		for _, item := range result {
			if t, ok := item.(string); ok {
				want = append(want, t)
			} else if cell := item.(map[string]any); cell["source"] != nil {
				want = append(want, rewritten(r.t, cell))
			}
		}
	}
	for _, c := range res.Content {
		if t, ok := c.(mcp.TextContent); ok && !strings.HasPrefix(t.Text, "[WARNING] The notebook's file") {
			if name == "read_cells" {
				if !strings.HasPrefix(t.Text, "{") {
					continue // says what was left out
				}
				t.Text = rewritten(r.t, json.RawMessage(t.Text))
			}
			got = append(got, t.Text)
		}
	}
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: texts and structured content differ:\n%q\n%q", name, got, want)
	}
	if err := strict(r.t, name).Validate(res.StructuredContent); err != nil {
		r.t.Errorf("%s: the result is not what its schema says: %v\n%q", name, err, got)
	}
}

// rewritten is a value as JSON, in one order.
func rewritten(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if b, err = json.Marshal(again); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// firstPart is what the first text of an answer says of its structured content: all of it, but for the two tools whose
// texts are several.
func firstPart(name string, structured any) any {
	body, _ := structured.(map[string]any)
	switch name {
	case "list_documents":
		return body["documents"]
	case "get_document_info":
		info := maps.Clone(body)
		for _, k := range []string{"content", "content_length", "truncated"} {
			delete(info, k)
		}
		return info
	}
	return structured
}

// strict is a tool's output schema, with every object closed that names its members.
func strict(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	for _, d := range definitions() {
		if d.Name == name {
			s, err := tool.Compile(name, closed(t, d.Output.Raw()))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// closed lets each object of a schema that names its members have no others.
func closed(t *testing.T, schema json.RawMessage) json.RawMessage {
	t.Helper()
	var s any
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	shut(s)
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func shut(s any) {
	switch s := s.(type) {
	case []any:
		for _, one := range s {
			shut(one)
		}
	case map[string]any:
		members, object := s["properties"].(map[string]any)
		for _, one := range members {
			shut(one)
		}
		for _, key := range []string{"items", "anyOf"} {
			shut(s[key])
		}
		if object {
			s["additionalProperties"] = false
		}
	}
}

// messageOf is the first text of a result.
func messageOf(res *mcp.CallToolResult) string {
	if len(res.Content) == 0 {
		return ""
	}
	text, _ := res.Content[0].(mcp.TextContent)
	return text.Text
}

func imagesOf(res *mcp.CallToolResult) (out []mcp.ImageContent) {
	for _, c := range res.Content {
		if img, ok := c.(mcp.ImageContent); ok {
			out = append(out, img)
		}
	}
	return out
}

// good calls a tool that must succeed and decodes its result into dst.
func (r *rig) good(name string, args dict, dst any) *mcp.CallToolResult {
	r.t.Helper()
	res := r.call(name, args)
	if res.IsError {
		r.t.Fatalf("%s: %s", name, messageOf(res))
	}
	if dst != nil {
		decode(r.t, res, dst)
	}
	return res
}

func decode(t *testing.T, res *mcp.CallToolResult, dst any) {
	t.Helper()
	if err := json.Unmarshal([]byte(messageOf(res)), dst); err != nil {
		t.Fatal(err)
	}
}

// bad calls a tool that must refuse, saying all of says.
func (r *rig) bad(name string, args dict, says ...string) {
	r.t.Helper()
	res := r.call(name, args)
	message := messageOf(res)
	if !res.IsError {
		r.t.Fatalf("%s accepts %v: %s", name, args, message)
	}
	if len(res.Content) != 1 || res.StructuredContent != nil {
		r.t.Errorf("%s: an error with %d contents, structured %v", name, len(res.Content), res.StructuredContent)
	}
	for _, want := range says {
		if !strings.Contains(message, want) {
			r.t.Errorf("%s %v: %q does not say %q", name, args, message, want)
		}
	}
}

// read is the whole notebook as read_nb_cells shows it.
func (r *rig) read(path string) notebook.ReadResult {
	r.t.Helper()
	var out notebook.ReadResult
	r.good("read_nb_cells", dict{"path": path}, &out)
	return out
}

// sources are the sources of the notebook's cells, by the shared document.
func (r *rig) sources(path string) []string {
	r.t.Helper()
	out := []string{}
	for _, c := range r.read(path).Cells {
		out = append(out, c.Source)
	}
	return out
}

// unchanged checks at the end of a test that the notebook's content is what it is now.
func (r *rig) unchanged(path string) func() {
	r.t.Helper()
	before := r.read(path)
	return func() {
		r.t.Helper()
		after := r.read(path)
		if before.Revision != after.Revision || !reflect.DeepEqual(before.Cells, after.Cells) {
			r.t.Errorf("the notebook was changed:\n%+v\n%+v", before, after)
		}
	}
}

// person is another participant of the same rooms, with sessions of its own.
func (r *rig) person() *rig {
	r.t.Helper()
	return newRigOn(r.t, r.server)
}
