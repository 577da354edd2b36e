package hosts

import (
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// Each host passes to a model the parts that its description says.
func TestHosts(t *testing.T) {
	plain := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("text"), mcp.NewImageContent("data", "image/png")}}
	both := &mcp.CallToolResult{Content: plain.Content, StructuredContent: map[string]any{"a": 1}}
	for _, h := range All() {
		want := map[string]string{
			"structured replaces":  `text 1 0; {"a":1} 0 0`,
			"both":                 "text 1 0; {\"a\":1}\ntext 1 0",
			"content only":         "text 1 0; text 1 0",
			"pictures a turn late": "text 0 1; text 0 1",
			"text only":            "text 0 0; text 0 0",
		}[h.Name]
		says := func(res *mcp.CallToolResult) string {
			c := h.Chat()
			now, next := c.Turn(res), c.Turn(nil)
			return fmt.Sprintf("%s %d %d", now.Text, len(now.Pictures), len(next.Pictures))
		}
		if got := says(plain) + "; " + says(both); got != want {
			t.Errorf("%s: %q, want %q", h.Name, got, want)
		}
	}
}
