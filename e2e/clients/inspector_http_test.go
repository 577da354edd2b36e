package clients_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
)

// Over HTTP, of both kinds, the Inspector lists what there is, and calls some of the tools, with the token in a header.
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
			if len(got.Tools) != len(inspected) || len(got.Resources) == 0 || len(got.Prompts) < 4 {
				t.Errorf("listed are %+v", got)
			}
			if len(got.Messages) != 1 || !strings.Contains(got.Messages[0].Content.Text, "the login page") {
				t.Errorf("the prompt is %+v", got.Messages)
			}
			if len(got.Contents) != 1 || got.Contents[0].URI != "notebook://templates/mcts" || got.Contents[0].Text == "" {
				t.Errorf("the resource is %+v", got.Contents)
			}
			for _, name := range []string{"insert_nb_cells", "get_run"} {
				t.Run(name, func(t *testing.T) { checkInspected(t, name, inspected[name], at) })
			}
		})
	}
}
