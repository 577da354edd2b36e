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
	// Also names further toolsets that have it.
	Also   []string
	Hints  Hints
	Output Schema
	// Asks: its code may ask the client's user something. Every tool with OpenWorld may, too.
	Asks bool
	// Ordered: of several calls that are sent before an answer has come, each begins where the one before has inserted its
	// cells. See [Turns].
	Ordered bool
	Call
}

// A Call is what calls of a tool are checked against, and how they are answered.
type Call struct {
	// Input describes the arguments.
	Input Schema
	// Handle answers a call whose arguments have been checked against Input.
	Handle func(context.Context, mcp.CallToolRequest) (*Answer, error)
}

// Hints are what a host may show its user, or ask consent by. They must be true.
type Hints struct {
	// ReadOnly: no file, document or kernel changes. Joining a room to read it changes nothing that others keep.
	ReadOnly bool
	// Destructive: something that existed before the call can be gone after it.
	Destructive bool
	// Idempotent: the same call again changes nothing more.
	Idempotent bool
	// OpenWorld: it runs code, which can reach anything.
	OpenWorld bool
}

// InSet puts those of the tools into a toolset that name none themselves.
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

// Typed makes a tool's Call from a function that takes the decoded arguments. If they have a method Check() error, a call
// that it refuses does not reach the function.
func Typed[A any](fn func(context.Context, A) (*Answer, error)) Call {
	return Refined(ArgumentsOf[A](nil), fn)
}

// Refined is Typed with a schema that says more of the arguments than their type, or takes only some of them.
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
