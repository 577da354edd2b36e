package target

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
)

// Accompanied has each answer of a tool say in one line who is in a cell that the call has touched, and which other agents
// are at one that it may have changed; and each refusal for their sake say its code as the tool's others do.
func Accompanied(m *session.Manager, t tool.Tool) tool.Tool {
	if t.Input.Takes(ArgPerson) || t.Output.Takes("run_id") {
		t.Output = t.Output.WithCarets()
	}
	handle := t.Handle
	t.Handle = func(ctx context.Context, req mcp.CallToolRequest) (*tool.Answer, error) {
		rec := &touched{client: tool.ClientOf(ctx), call: callHash(req)}
		if !t.Hints.ReadOnly {
			rec.agents = agents{m.RunTable().Runs, tool.ClientOf(ctx), func(client string) string {
				return "agent " + m.Presence.Faces().Of(client).Name
			}}
		}
		a, err := handle(context.WithValue(ctx, touchedKey{}, rec), req)
		if a != nil {
			a.People = rec.lines()
			if t.Output.Takes("carets") {
				a.Moved = rec.moved
			}
		}
		return a, rec.failure(refusal(t, err), err)
	}
	return t
}
