package waiting

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// Asker passes questions of running code to the person at the call's client, by elicitation; nil if the client does not
// offer it. In the older protocol questions reach the client even after the call has been answered; in the newer one
// they wait for the next call, see suspend.go.
func Asker(ctx context.Context) run.Asker {
	if ask := tool.AskThrough(ctx); ask != nil {
		return func(ctx context.Context, q run.Question) (string, error) {
			return lineOf(ask(ctx, elicitation(q)))
		}
	}
	s := server.ServerFromContext(ctx)
	from, _ := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if s == nil || from == nil || server.IsModernRequest(ctx) || from.GetClientCapabilities().Elicitation == nil {
		return nil
	}
	call := context.WithoutCancel(ctx)
	return func(ctx context.Context, q run.Question) (string, error) {
		call, stop := context.WithCancel(call)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		res, err := s.RequestElicitation(call, mcp.ElicitationRequest{Params: elicitation(q)})
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return lineOf(res, err)
	}
}

// RunOptions returns the options with which a call's cells run.
func RunOptions(ctx context.Context) run.Options {
	return run.Options{Ask: Asker(ctx), Owner: tool.ClientOf(ctx)}
}

// elicitation turns a question into an MCP elicitation.
func elicitation(q run.Question) mcp.ElicitationParams {
	return mcp.ElicitationParams{
		Mode:    mcp.ElicitationModeForm,
		Message: question(q),
		RequestedSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{"value": map[string]any{
				"type": "string", "title": "Input", "description": "The line that the code reads.",
			}},
			"required": []string{"value"},
		},
	}
}

// lineOf returns the input line from a client's answer.
func lineOf(res *mcp.ElicitationResult, err error) (string, error) {
	switch {
	case errors.Is(err, server.ErrElicitationNotSupported), errors.Is(err, server.ErrNoActiveSession), errors.Is(err, tool.ErrAnswered):
		return "", run.ErrNoAsker
	case errors.Is(err, run.ErrNoAsker), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "", err
	case err != nil:
		return "", fmt.Errorf("ask the person at the MCP client: %w", err)
	case res.Action != mcp.ElicitationResponseActionAccept:
		return "", errors.New("the person at the MCP client did not answer")
	}
	content, _ := res.Content.(map[string]any)
	value, ok := content["value"].(string)
	if !ok {
		return "", errors.New("the MCP client's answer has no value")
	}
	return value, nil
}

// question returns the text that is shown to the person.
func question(q run.Question) string {
	prompt, _ := textfmt.Cut(textfmt.Plain(q.Prompt), 2000)
	kind := lo.Ternary(q.Password, "a password; nbduet neither shows nor stores it, but your MCP client may show it", "input")
	return fmt.Sprintf("The code running in %s asks for %s: %s", cmp.Or(q.Path.String(), "an analysis session"), kind, prompt)
}
