package toolstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/target"
)

// TextsOf returns the texts of a result.
func TextsOf(res *mcp.CallToolResult) (out []string) {
	for _, c := range res.Content {
		if text, ok := c.(mcp.TextContent); ok {
			out = append(out, text.Text)
		}
	}
	return out
}

// ReadResource reads a resource through the MCP client.
func (r *Rig) ReadResource(c *client.Client, uri string) (mcp.BlobResourceContents, error) {
	r.T.Helper()
	var req mcp.ReadResourceRequest
	req.Params.URI = uri
	res, err := c.ReadResource(r.T.Context(), req)
	if err != nil {
		return mcp.BlobResourceContents{}, err
	}
	blob, ok := res.Contents[0].(mcp.BlobResourceContents)
	if !ok || len(res.Contents) != 1 || blob.URI != uri {
		r.T.Fatalf("%+v", res.Contents)
	}
	return blob, nil
}

// Revision returns a client of a new MCP server, in a revision of the protocol.
func (r *Rig) Revision(cfg tools.Config, revision string) *client.Client {
	r.T.Helper()
	s, err := tools.New(cfg)
	if err != nil {
		r.T.Fatal(err)
	}
	var options []client.ClientOption
	var hello mcp.InitializeRequest
	if hello.Params.ProtocolVersion = revision; revision == mcp.ProtocolVersion20260728 {
		options, hello = append(options, client.WithProtocolVersion(revision)), mcp.InitializeRequest{}
	}
	Tick()
	c, err := client.NewInProcessClientWithOptions(s, options...)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() { _ = c.Close() })
	if err := c.Start(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
	if got, err := c.Initialize(r.T.Context(), hello); err != nil || got.ProtocolVersion != revision {
		r.T.Fatalf("protocol version %v, %v", got, err)
	}
	return c
}

// Dot is a PNG of one pixel.
const Dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// EndKernel ends a notebook's kernel.
func (r *Rig) EndKernel(path string) {
	r.T.Helper()
	sessions, err := r.Srv.Sessions.List(r.T.Context())
	if err != nil {
		r.T.Fatal(err)
	}
	for _, s := range sessions {
		if s.Path.String() == path {
			if err := r.Srv.Kernels.Shutdown(r.T.Context(), s.Kernel.ID); err != nil {
				r.T.Error(err)
			}
		}
	}
}

// ReadURI reads a resource through an MCP client.
func (r *Rig) ReadURI(c *client.Client, uri string) (mcp.TextResourceContents, error) {
	var req mcp.ReadResourceRequest
	req.Params.URI = uri
	res, err := c.ReadResource(r.T.Context(), req)
	if err != nil {
		return mcp.TextResourceContents{}, err
	}
	if len(res.Contents) != 1 {
		r.T.Fatalf("%s has %d contents", uri, len(res.Contents))
	}
	text, _ := res.Contents[0].(mcp.TextResourceContents)
	if text.URI != uri {
		r.T.Errorf("%s is answered as %s", uri, text.URI)
	}
	return text, nil
}

// MustRead reads a resource that must exist.
func (r *Rig) MustRead(uri string) mcp.TextResourceContents {
	r.T.Helper()
	text, err := r.ReadURI(r.Client, uri)
	if err != nil {
		r.T.Fatalf("%s: %v", uri, err)
	}
	return text
}

// Refuses reads a resource that does not exist, and checks the error.
func (r *Rig) Refuses(c *client.Client, uri, message, reason string) {
	r.T.Helper()
	got, err := r.ReadURI(c, uri)
	if err == nil {
		r.T.Errorf("%s is there: %+v", uri, got)
		return
	}
	code, text, data := rpcError(r.T, c, uri)
	if code != mcp.INVALID_PARAMS || text != message {
		r.T.Errorf("%s: %d %q, wanted %q", uri, code, text, message)
	}
	if data["resource"] != uri || data["uri"] != uri || !strings.Contains(fmt.Sprint(data["reason"]), reason) {
		r.T.Errorf("%s: data %v, wanted %q", uri, data, reason)
	}
}

// rpcError reads a resource on the wire, for the error's data, which mcp-go's client does not expose.
func rpcError(t *testing.T, c *client.Client, uri string) (code int, message string, data map[string]any) {
	t.Helper()
	res, err := c.GetTransport().SendRequest(t.Context(), transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(int64(1_000_000)), Method: string(mcp.MethodResourcesRead), Params: map[string]any{"uri": uri},
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Error == nil {
		t.Fatalf("%s: no error", uri)
	}
	data, _ = res.Error.Data.(map[string]any)
	return res.Error.Code, res.Error.Message, data
}

// Listed returns the resources that a client lists, over all pages.
func (r *Rig) Listed(c *client.Client) map[string]mcp.Resource {
	r.T.Helper()
	list, err := c.ListResources(r.T.Context(), mcp.ListResourcesRequest{})
	if err != nil {
		r.T.Fatal(err)
	}
	out := map[string]mcp.Resource{}
	for _, one := range list.Resources {
		if _, twice := out[one.URI]; twice {
			r.T.Errorf("%s is listed twice", one.URI)
		}
		out[one.URI] = one
	}
	return out
}

// URIOf returns the address of a notebook that this client has open.
func (r *Rig) URIOf(path string) string {
	r.T.Helper()
	var list []resource.OwnedEntry
	if err := json.Unmarshal([]byte(r.MustRead(target.URIList).Text), &list); err != nil {
		r.T.Fatal(err)
	}
	for _, e := range list {
		if e.Path == path {
			return e.URI
		}
	}
	r.T.Fatalf("%s is not in %+v", path, list)
	return ""
}

// Holds waits until a notebook is in use, or is not.
func (r *Rig) Holds(path string, want bool) {
	r.T.Helper()
	for range 6000 {
		list := r.Work.Sessions(jupyter.MustPath(path))
		if len(list) == 1 && list[0].Busy == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.T.Fatalf("%s is in use: %v, all the time", path, !want)
}

// MCPServer makes another MCP server over the same work.
func (r *Rig) MCPServer() *server.MCPServer {
	r.T.Helper()
	s, err := tools.New(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames()})
	if err != nil {
		r.T.Fatal(err)
	}
	return s
}

// Modern makes a client of the newest protocol version, in which a server cannot start an elicitation. The client offers no
// elicitation if p is nil.
func (r *Rig) Modern(log *bytes.Buffer, p *Answerer) *client.Client {
	r.T.Helper()
	s, err := tools.New(tools.Config{Work: r.Work, Version: "test", Answers: tools.JSONAnswers, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		r.T.Fatal(err)
	}
	Tick()
	options := []client.ClientOption{client.WithProtocolVersion(mcp.ProtocolVersion20260728)}
	if p != nil {
		options = append(options, client.WithElicitationHandler(p))
	}
	c, err := client.NewInProcessClientWithOptions(s, options...)
	if err != nil {
		r.T.Fatal(err)
	}
	r.T.Cleanup(func() { _ = c.Close() })
	if err := c.Start(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
	if hello, err := c.Initialize(r.T.Context(), mcp.InitializeRequest{}); err != nil || hello.ProtocolVersion != mcp.ProtocolVersion20260728 {
		r.T.Fatalf("protocol version %v, %v", hello, err)
	}
	return c
}
