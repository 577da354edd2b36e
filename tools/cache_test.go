package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/resource"
)

// Lists that are the same for all clients may be cached; lists that belong to one client, or change, may not.
func TestCacheHints(t *testing.T) {
	for method, want := range map[mcp.MCPMethod]struct {
		ttl   float64
		scope string
	}{
		mcp.MethodServerDiscover: {300_000, "public"}, mcp.MethodToolsList: {300_000, "private"}, mcp.MethodPromptsList: {300_000, "public"},
		mcp.MethodResourcesTemplatesList: {resource.TemplateTTL, "public"}, mcp.MethodResourcesList: {0, "private"},
	} {
		text := answersTo(t, tools.Config{}, method)
		var got struct {
			Result map[string]any `json:"result"`
		}
		must.NoError(t, json.Unmarshal([]byte(text), &got), must.Sprint(method, text))
		test.EqOp[any](t, want.ttl, got.Result["ttlMs"], test.Sprint(method, text))
		test.EqOp[any](t, want.scope, got.Result["cacheScope"], test.Sprint(method, text))
	}
}
