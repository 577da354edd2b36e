package clients_test

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
)

// Over both HTTP transports, the Inspector lists everything and calls some of the tools, with the token in a header.
func TestInspectorOverHTTP(t *testing.T) {
	w := kit.StartWeb(t, 1, "--toolsets=all", "--output-schemas=full")
	for _, path := range []string{"/mcp", "/sse"} {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			at := func(result any, args ...string) {
				t.Helper()
				inspectServer(t, result, []string{w.URL + path, "--header", "Authorization: Bearer " + w.Tokens[0]}, args...)
			}
			var got struct {
				Tools     []struct{ Name string }
				Resources []struct{ URI string }
				Prompts   []struct{ Name string }
				Messages  []struct{ Content struct{ Text string } }
				Contents  []struct{ URI, Text string }
			}
			for _, method := range []string{"tools/list", "resources/list", "prompts/list"} {
				at(&got, "--method", method)
			}
			at(&got, "--method", "prompts/get", "--prompt-name", "continue_work", "--prompt-args", "goal=the login page")
			at(&got, "--method", "resources/read", "--uri", "notebook://templates/mcts")
			must.SliceLen(t, len(inspected), got.Tools)
			must.SliceNotEmpty(t, got.Resources)
			test.GreaterEq(t, 4, len(got.Prompts))
			must.SliceLen(t, 1, got.Messages)
			test.StrContains(t, got.Messages[0].Content.Text, "the login page")
			must.SliceLen(t, 1, got.Contents)
			test.Eq(t, "notebook://templates/mcts", got.Contents[0].URI)
			test.NotEq(t, "", got.Contents[0].Text)
			for _, name := range []string{"insert_nb_cells", "get_run"} {
				t.Run(name, func(t *testing.T) { checkInspected(t, name, inspected[name], at) })
			}
		})
	}
}
