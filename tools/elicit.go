package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session"
)

// asker asks the person at the call's client what running code asks, by elicitation. The questions reach the client
// also after the call has been answered, as the run goes on.
func asker(ctx context.Context) session.Asker {
	s := server.ServerFromContext(ctx)
	from, _ := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if s == nil || from == nil || from.GetClientCapabilities().Elicitation == nil {
		return nil
	}
	call := context.WithoutCancel(ctx)
	return func(ctx context.Context, q session.Question) (string, error) {
		call, stop := context.WithCancel(call)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		res, err := s.RequestElicitation(call, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
			Message: question(q),
			RequestedSchema: map[string]any{
				"type": "object",
				"properties": map[string]any{"value": map[string]any{
					"type": "string", "title": "Input", "description": "The line that the code reads.",
				}},
				"required": []string{"value"},
			},
		}})
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.Is(err, server.ErrElicitationNotSupported), errors.Is(err, server.ErrNoActiveSession):
			return "", session.ErrNoAsker
		case err != nil:
			return "", fmt.Errorf("ask the person at the MCP client: %w", err)
		case res.Action != mcp.ElicitationResponseActionAccept:
			return "", errors.New("the person at the MCP client did not answer")
		}
		content, _ := res.Content.(map[string]any)
		value, ok := content["value"].(string)
		if !ok {
			return "", errors.New("the MCP client's answer holds no value")
		}
		return value, nil
	}
}

// question words what the person is asked.
func question(q session.Question) string {
	prompt, _ := cut(plain(q.Prompt), 2000)
	kind := "input"
	if q.Password {
		kind = "a password; what you enter is shown to nobody and kept nowhere by nbduet, but your MCP client may show it"
	}
	return fmt.Sprintf("The code running in %s asks for %s: %s", q.Path, kind, prompt)
}
