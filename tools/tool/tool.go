package tool

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Tool is everything there is to say about one MCP tool.
type Tool struct {
	Name, Title, Description string
	Toolset                  string
	// also are further toolsets that have it.
	Also          []string
	Marks         Marks
	Input, Output Schema
	// asks: its call may have to be answered with a question of running code, as that of every tool with openWorld.
	Asks bool
	// handle answers a call whose arguments have been checked against input.
	Handle func(context.Context, mcp.CallToolRequest) (*Answer, error)
}

// Marks are what a host may show its user or ask consent by; they must be true.
type Marks struct {
	// readOnly: no file, document or kernel is changed. Joining a room to read it changes nothing that others keep.
	ReadOnly bool
	// destructive: something that was there before can be gone afterwards.
	Destructive bool
	// idempotent: the same call again changes nothing more.
	Idempotent bool
	// openWorld: it runs code, which can reach anything.
	OpenWorld bool
}

// In tells whether a toolset has the tool.
func (t Tool) In(toolset string) bool {
	return t.Toolset == toolset || slices.Contains(t.Also, toolset)
}

// Typed makes a tool's handle out of a function that takes the decoded arguments.
func Typed[A any](fn func(context.Context, A) (*Answer, error)) func(context.Context, mcp.CallToolRequest) (*Answer, error) {
	return func(ctx context.Context, req mcp.CallToolRequest) (*Answer, error) {
		var args A
		if err := decodeArguments(req, &args); err != nil {
			return nil, err
		}
		return fn(ctx, args)
	}
}

// Definition is the tool in MCP's terms.
func (t Tool) Definition() mcp.Tool {
	m := t.Marks
	return mcp.Tool{
		Name:            t.Name,
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.Input.Raw(),
		RawOutputSchema: t.Output.Raw(),
		Annotations: mcp.ToolAnnotation{
			Title:           t.Title,
			ReadOnlyHint:    &m.ReadOnly,
			DestructiveHint: &m.Destructive,
			IdempotentHint:  &m.Idempotent,
			OpenWorldHint:   &m.OpenWorld,
		},
	}
}
