package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// answersTo returns the result of a request to a server without a Jupyter server, as bytes.
func answersTo(t *testing.T, cfg tools.Config, method mcp.MCPMethod) string {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: "http://127.0.0.1:9"}) // receives no requests
	must.NoError(t, err)
	m := session.New(session.Config{Server: srv})
	defer func() { test.NoError(t, m.Close(t.Context())) }()
	cfg.Work = deps.NewWork(m)
	s, err := tools.New(cfg)
	must.NoError(t, err)
	params := toolstest.Dict{"_meta": toolstest.Dict{mcp.MetaKeyProtocolVersion: mcp.ProtocolVersion20260728, mcp.MetaKeyClientCapabilities: toolstest.Dict{}}}
	if method == mcp.MethodInitialize {
		params = toolstest.Dict{"protocolVersion": "2025-06-18", "clientInfo": toolstest.Dict{"name": "n", "version": "1"}, "capabilities": toolstest.Dict{}}
	}
	ask, err := json.Marshal(toolstest.Dict{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	must.NoError(t, err)
	text, err := json.Marshal(s.HandleMessage(t.Context(), ask))
	must.NoError(t, err)
	return string(text)
}

// Hosts that hide tools are asked to show the main ones, and given words to find the others by.
func TestHintsForHostsThatHideTools(t *testing.T) {
	for _, sets := range [][]string{nil, tools.ToolsetNames()} {
		var list struct {
			Result struct {
				Tools []struct {
					Name string         `json:"name"`
					Meta map[string]any `json:"_meta"`
				} `json:"tools"`
			} `json:"result"`
		}
		must.NoError(t, json.Unmarshal([]byte(answersTo(t, tools.Config{Toolsets: sets}, mcp.MethodToolsList)), &list))
		var main []string
		for _, one := range list.Result.Tools {
			hint, _ := one.Meta["anthropic/searchHint"].(string)
			if one.Meta["anthropic/alwaysLoad"] == true {
				main = append(main, one.Name)
				test.Eq(t, "", hint, test.Sprint(one.Name))
			} else {
				test.Between(t, 8, len(hint), 80, test.Sprint(one.Name))
			}
		}
		test.SliceContainsAll(t, []string{"list_nbs", "read_nb_cells", "insert_nb_cells", "modify_nb_cells", "execute_nb_cells", "edit_text"}, main)
	}
}

// A host's cache of prompts holds as long as the list of tools is the same to the byte.
func TestListIsStable(t *testing.T) {
	first := answersTo(t, tools.Config{}, mcp.MethodToolsList)
	for range 3 {
		test.Eq(t, first, answersTo(t, tools.Config{}, mcp.MethodToolsList))
	}
}

// The instructions begin with when to use the tools, fit into the text that such hosts show, and are in both handshakes.
func TestInstructionsForHostsThatHideTools(t *testing.T) {
	for _, sets := range [][]string{nil, {"core"}, {"analysis"}, tools.ToolsetNames()} {
		for _, method := range []mcp.MCPMethod{mcp.MethodInitialize, mcp.MethodServerDiscover} {
			var got struct {
				Result struct {
					Instructions string `json:"instructions"`
				} `json:"result"`
			}
			must.NoError(t, json.Unmarshal([]byte(answersTo(t, tools.Config{Toolsets: sets}, method)), &got))
			first, _, _ := strings.Cut(got.Result.Instructions, ". ")
			test.Eq(t, "Use these tools whenever a notebook (an .ipynb file) is read, edited or run; do not edit the file itself", first)
			test.Less(t, 1900, len(got.Result.Instructions), test.Sprint(sets))
		}
	}
}
