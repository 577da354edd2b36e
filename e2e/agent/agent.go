package agent

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// exitLimit is how long the program may take to exit after its input was closed. It saves its rooms first.
const exitLimit = 20 * time.Second

// Client is the clients' name if [Options] do not set one.
const Client = "nbduet-e2e"

// Agent is nbduet with a connected MCP client.
type Agent struct {
	*Process
	// Server is the program's name and version.
	Server  mcp.Implementation
	client  *client.Client
	updates updates
}

// Start starts the program and connects an MCP client to it.
func Start(ctx context.Context, opt Options) (*Agent, error) {
	p, err := Spawn(opt)
	if err != nil {
		return nil, err
	}
	a := &Agent{Process: p}
	var options []client.ClientOption
	if opt.Protocol != "" {
		options = append(options, client.WithProtocolVersion(opt.Protocol))
	}
	if opt.Elicit != nil {
		options = append(options, client.WithElicitationHandler(elicitor(opt.Elicit)))
	}
	a.client = client.NewClient(transport.NewIO(p.Stdout, p.Stdin, io.NopCloser(strings.NewReader(""))), options...)
	a.client.OnNotification(a.updates.take)
	if err := a.connect(ctx, cmp.Or(opt.Client, Client)); err != nil {
		p.Kill()
		return nil, fmt.Errorf("connect to %s: %w; its log:\n%s", opt.Binary, errors.Join(err, a.client.Close()), p.Log())
	}
	return a, nil
}

func (a *Agent) connect(ctx context.Context, name string) error {
	// The client keeps this context for its whole life.
	if err := a.client.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: name, Version: "1"}
	said, err := a.client.Initialize(ctx, hello)
	if err != nil {
		return err
	}
	a.Server = said.ServerInfo
	return nil
}

// elicitor turns Options.Elicit into a client's elicitation handler.
type elicitor func(ctx context.Context, message string) (string, error)

// Elicit implements client.ElicitationHandler.
func (e elicitor) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	value, err := e(ctx, request.Params.Message)
	if err != nil {
		return nil, err
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action:  mcp.ElicitationResponseActionAccept,
		Content: map[string]any{"value": value},
	}}, nil
}

// Tools returns the names of the program's tools, in its order.
func (a *Agent) Tools(ctx context.Context) ([]string, error) {
	list, err := a.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	names := make([]string, len(list.Tools))
	for i, tool := range list.Tools {
		names[i] = tool.Name
	}
	return names, nil
}

// Answer is a tool's answer.
type Answer struct {
	// IsError reports that the tool refused or failed; Text is the reason.
	IsError bool
	// Text is the first text of the answer.
	Text string
	// Structured is the answer's structured content as JSON, or nil.
	Structured json.RawMessage
	// Images are the answer's images, decoded.
	Images []Image
}

// Image is an image in an answer.
type Image struct {
	MIMEType string
	Data     []byte
}

// Call calls a tool. A tool's error is an Answer; the returned error is a protocol error.
func (a *Agent) Call(ctx context.Context, tool string, args map[string]any) (*Answer, error) {
	var request mcp.CallToolRequest
	request.Params.Name = tool
	request.Params.Arguments = args
	result, err := a.client.CallTool(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	answer := &Answer{IsError: result.IsError}
	if result.StructuredContent != nil {
		if answer.Structured, err = json.Marshal(result.StructuredContent); err != nil {
			return nil, fmt.Errorf("call %s: %w", tool, err)
		}
	}
	for _, content := range result.Content {
		switch c := content.(type) {
		case mcp.TextContent:
			if answer.Text == "" {
				answer.Text = c.Text
			}
		case mcp.ImageContent:
			data, err := base64.StdEncoding.DecodeString(c.Data)
			if err != nil {
				return nil, fmt.Errorf("call %s: the image in the answer: %w", tool, err)
			}
			answer.Images = append(answer.Images, Image{MIMEType: c.MIMEType, Data: data})
		}
	}
	return answer, nil
}

// Do calls a tool and decodes the JSON object in the text of its answer into
// out, unless out is nil. A tool's error is an error.
func (a *Agent) Do(ctx context.Context, tool string, args map[string]any, out any) (*Answer, error) {
	answer, err := a.Call(ctx, tool, args)
	if err != nil {
		return nil, err
	}
	if answer.IsError {
		return answer, fmt.Errorf("call %s: the tool answered with an error: %s", tool, answer.Text)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(answer.Text), out); err != nil {
			return answer, fmt.Errorf("call %s: the answer is no such JSON object: %w: %s", tool, err, answer.Text)
		}
	}
	return answer, nil
}

// Close disconnects by closing the program's input, as MCP clients do over stdio, and waits for its exit. An exit code
// other than 0 and a reported data race are errors.
func (a *Agent) Close() error {
	errs := []error{a.client.Close()}
	code, err := a.Wait(exitLimit)
	switch {
	case err != nil:
		errs = append(errs, err)
		a.Kill()
	case code != 0:
		errs = append(errs, fmt.Errorf("nbduet ended with exit code %d", code))
	}
	if strings.Contains(a.Log(), "WARNING: DATA RACE") {
		errs = append(errs, errors.New("nbduet has a data race"))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w; its log:\n%s", err, a.Log())
	}
	return nil
}
