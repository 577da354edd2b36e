package tool

import (
	"cmp"
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Tool is the definition of one MCP tool, with the function that answers its calls.
type Tool struct {
	Name, Title, Description string
	Toolset                  string
	// Also lists further toolsets of the tool.
	Also   []string
	Hints  Hints
	Output Schema
	// Asks is true if the tool's code may ask the client's user a question. Every tool with OpenWorld may, too.
	Asks bool
	// Ordered is true if, of several calls sent before an answer, each begins after the call before has inserted its cells.
	// See [Turns].
	Ordered bool
	Call
}

// A Call has the schema that checks a tool's calls, and the function that answers them.
type Call struct {
	// Input describes the arguments.
	Input Schema
	// Handle answers a call whose arguments have been checked against Input.
	Handle func(context.Context, mcp.CallToolRequest) (*Answer, error)
}

// Hints are shown by a host, or used to ask for consent. They must be true.
type Hints struct {
	// ReadOnly means that no file, document or kernel changes. Joining a room to read it does not change what others keep.
	ReadOnly bool
	// Destructive means that the call can remove something that existed before.
	Destructive bool
	// Idempotent means that repeating the call has no further effect.
	Idempotent bool
	// OpenWorld means that the tool runs code, which can reach anything.
	OpenWorld bool
}

// InSet puts the tools that name no toolset into the given one.
func InSet(toolset string, tools ...Tool) []Tool {
	for i := range tools {
		tools[i].Toolset = cmp.Or(tools[i].Toolset, toolset)
	}
	return tools
}

// In reports whether the tool belongs to a toolset.
func (t Tool) In(toolset string) bool {
	return t.Toolset == toolset || slices.Contains(t.Also, toolset)
}

// Typed makes a tool's Call from a function that takes the decoded arguments. If they have a method Check() error, it is
// called first, and its error is returned.
func Typed[A any](fn func(context.Context, A) (*Answer, error)) Call {
	return Refined(ArgumentsOf[A](nil), fn)
}

// Refined is Typed with a schema that is more precise than the type of the arguments, or takes only some of them.
func Refined[A any](input Schema, fn func(context.Context, A) (*Answer, error)) Call {
	return Call{input, func(ctx context.Context, req mcp.CallToolRequest) (*Answer, error) {
		var args A
		if err := decodeArguments(req, &args); err != nil {
			return nil, err
		}
		if c, ok := any(args).(interface{ Check() error }); ok {
			if err := c.Check(); err != nil {
				return nil, err
			}
		}
		return fn(ctx, args)
	}}
}

// Definition returns the tool's definition for MCP.
func (t Tool) Definition() mcp.Tool {
	m := t.Hints
	return mcp.Tool{
		Name:            t.Name,
		Title:           t.Title,
		Description:     t.Description,
		RawInputSchema:  t.Input.Published(),
		RawOutputSchema: t.Output.Described(),
		Annotations: mcp.ToolAnnotation{
			Title:           t.Title,
			ReadOnlyHint:    &m.ReadOnly,
			DestructiveHint: &m.Destructive,
			IdempotentHint:  &m.Idempotent,
			OpenWorldHint:   &m.OpenWorld,
		},
	}
}
