package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/tool"
)

// A caller's mistake is a tool error; a bug in this program is a protocol error, which reveals no internals.
func TestErrorsOfTools(t *testing.T) {
	var log strings.Builder
	for _, c := range []struct {
		name     string
		handle   func() (*tool.Answer, error)
		message  string // of the tool error
		protocol string // or of the protocol error
		logged   string
	}{
		{"mistake", func() (*tool.Answer, error) { return nil, errors.New("no such cell") }, "no such cell", "", ""},
		{"fault", func() (*tool.Answer, error) { return nil, fmt.Errorf("write: %w", tool.Fault{Err: errors.New("odd")}) }, "", "write: odd", "odd"},
		{"panic", func() (*tool.Answer, error) { panic("s3cret") }, "", "internal error", "s3cret"},
		{"too long", func() (*tool.Answer, error) { return &tool.Answer{Body: strings.Repeat("x", tool.MaxAnswerBytes)}, nil }, "", "the limit is", "the limit is"},
		{"not JSON", func() (*tool.Answer, error) { return &tool.Answer{Body: func() {}}, nil }, "", "write the answer", "write the answer"},
		{"long message", func() (*tool.Answer, error) { return nil, errors.New(strings.Repeat("x", 1_000_000)) }, "characters left out", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			log.Reset()
			d := tool.Tool{Name: "t", Call: tool.Typed(func(context.Context, struct{}) (*tool.Answer, error) { return c.handle() })}
			check, err := d.Input.Compile(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			calls := &callLog{log: slog.New(slog.NewTextHandler(&log, nil))}
			res, err := (&offer{}).handler(d, check, &tool.Suspended{}, calls)(t.Context(), mcp.CallToolRequest{})
			switch {
			case c.protocol != "":
				must.Error(t, err)
				must.Nil(t, res)
				test.StrContains(t, err.Error(), c.protocol)
				test.StrNotContains(t, err.Error(), "s3cret")
			case err != nil || !res.IsError || !strings.Contains(res.Content[0].(mcp.TextContent).Text, c.message) || len(res.Content[0].(mcp.TextContent).Text) > 100_000:
				t.Errorf("answers %v, %v", res, err)
			}
			test.StrContains(t, log.String(), c.logged)
			test.NotEq(t, strings.Contains(log.String(), "level=ERROR"), c.logged == "")
			test.Eq(t, 1, strings.Count(log.String(), "\n"))
		})
	}
}
