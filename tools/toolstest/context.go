package toolstest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools"
)

// ContextRig is a Rig with its own project file.
type ContextRig struct {
	*Rig
	Mcp  *server.MCPServer
	Path string // of the project file
}

// NewContextRig makes a ContextRig on the server that the tests share.
func NewContextRig(t *testing.T) *ContextRig {
	t.Helper()
	r := New(t)
	c := &ContextRig{Rig: r, Path: r.Server.Name(t, "-project.yaml")}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	var err error
	if c.Mcp, err = tools.New(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames(), Logger: log, Activity: r.Record, Project: jupyter.MustPath(c.Path)}); err != nil {
		t.Fatal(err)
	}
	if err := r.Client.Close(); err != nil {
		t.Fatal(err)
	}
	r.Client = r.Attach(c.Mcp)
	return c
}

// Read reads a resource.
func (c *ContextRig) Read(uri string) (string, error) {
	c.T.Helper()
	var req mcp.ReadResourceRequest
	req.Params.URI = uri
	res, err := c.Client.ReadResource(c.T.Context(), req)
	if err != nil {
		return "", err
	}
	text, ok := res.Contents[0].(mcp.TextResourceContents)
	if !ok || len(res.Contents) != 1 || text.URI != uri || text.MIMEType != "text/markdown" {
		c.T.Errorf("%s: %+v", uri, res.Contents)
	}
	return text.Text, nil
}

// Must reads a resource that must exist.
func (c *ContextRig) Must(uri string) string {
	c.T.Helper()
	text, err := c.Read(uri)
	if err != nil {
		c.T.Fatalf("%s: %v", uri, err)
	}
	return text
}

// Unread checks the error of a read: code, message, and the reason in its data.
func (c *ContextRig) Unread(uri string, code int, message, reason string) {
	c.T.Helper()
	request := fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": %q}}`, uri)
	b, err := json.Marshal(c.Mcp.HandleMessage(c.T.Context(), json.RawMessage(request)))
	if err != nil {
		c.T.Fatal(err)
	}
	var got struct {
		Error struct {
			Code    int
			Message string
			Data    struct{ Resource, Reason string }
		}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		c.T.Fatal(err)
	}
	if e := got.Error; e.Code != code || !strings.Contains(e.Message, message) || e.Data.Resource != uri || !strings.Contains(e.Data.Reason, reason) {
		c.T.Errorf("%s: %s; want %d %q %q", uri, b, code, message, reason)
	}
}

// WriteProject writes the project file.
func (c *ContextRig) WriteProject(text string) {
	c.T.Helper()
	c.Server.Write(c.T, c.Path, text)
}

// Soon waits until holds returns true.
func Soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to this: %s", what)
		}
	}
}

// Prompt returns the text of a prompt.
func (c *ContextRig) Prompt(name string, args map[string]string) (string, error) {
	c.T.Helper()
	var req mcp.GetPromptRequest
	req.Params.Name, req.Params.Arguments = name, args
	res, err := c.Client.GetPrompt(c.T.Context(), req)
	if err != nil {
		return "", err
	}
	text, ok := res.Messages[0].Content.(mcp.TextContent)
	if len(res.Messages) != 1 || !ok || res.Messages[0].Role != mcp.RoleUser || res.Description == "" {
		c.T.Errorf("%s: %+v", name, res)
	}
	return text.Text, nil
}

// Complete returns the values for an argument of a prompt.
func (c *ContextRig) Complete(name, argument, written string, given map[string]string) []string {
	c.T.Helper()
	var req mcp.CompleteRequest
	req.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: name}
	req.Params.Argument = mcp.CompleteArgument{Name: argument, Value: written}
	req.Params.Context.Arguments = given
	res, err := c.Client.Complete(c.T.Context(), req)
	if err != nil {
		c.T.Fatal(err)
	}
	return res.Completion.Values
}
