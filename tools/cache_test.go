package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Lists that are the same for all clients may be cached; lists that belong to one client, or change, may not.
func TestCacheHints(t *testing.T) {
	srv, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:9"}) // receives no requests
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: srv})
	defer func() {
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	s, err := tools.New(tools.Config{Work: deps.NewWork(m)})
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[mcp.MCPMethod]struct {
		ttl   float64
		scope string
	}{
		mcp.MethodServerDiscover: {300_000, "public"}, mcp.MethodToolsList: {300_000, "private"}, mcp.MethodPromptsList: {300_000, "public"},
		mcp.MethodResourcesTemplatesList: {resource.TemplateTTL, "public"}, mcp.MethodResourcesList: {0, "private"},
	} {
		ask, err := json.Marshal(toolstest.Dict{"jsonrpc": "2.0", "id": 1, "method": method, "params": toolstest.Dict{"_meta": toolstest.Dict{
			mcp.MetaKeyProtocolVersion: mcp.ProtocolVersion20260728, mcp.MetaKeyClientCapabilities: toolstest.Dict{},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s.HandleMessage(t.Context(), ask))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Result map[string]any `json:"result"`
		}
		err = json.Unmarshal(text, &got)
		must.NoError(t, err, must.Sprint(method, text))
		test.EqOp[any](t, want.ttl, got.Result["ttlMs"], test.Sprint(method, text))
		test.EqOp[any](t, want.scope, got.Result["cacheScope"], test.Sprint(method, text))
	}
}
