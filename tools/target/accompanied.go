package target

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
)

// Accompanied adds to each answer of a tool lines that say who is in a cell that the call touched, and which other agents
// are at a cell that it may have changed. Refusals for people's sake get a code in the format of the tool's other errors.
func Accompanied(m *session.Manager, t tool.Tool) tool.Tool {
	if t.Input.Takes(ArgPerson) || t.Output.Takes("run_id") {
		t.Output = t.Output.WithCarets()
	}
	handle := t.Handle
	t.Handle = func(ctx context.Context, req mcp.CallToolRequest) (*tool.Answer, error) {
		rec := &touched{client: tool.ClientOf(ctx), call: callHash(req)}
		if !t.Hints.ReadOnly {
			rec.agents = agents{m.RunTable().Runs, tool.ClientOf(ctx), func(client string) string {
				return "agent " + m.Presence.Clients().Of(client).Name
			}}
		}
		a, err := handle(context.WithValue(ctx, touchedKey{}, rec), req)
		if a != nil {
			a.People = rec.lines()
			if t.Output.Takes("carets") {
				a.Moved = rec.moved
			}
		}
		if err = rec.failure(refusal(t, err), err); err != nil && tool.InWords(ctx) {
			err = tool.Reworded(err, rec.withShortIDs(err.Error()))
		}
		return a, err
	}
	return t
}
