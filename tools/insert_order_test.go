package tools_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Calls that insert cells and arrive before any of them is answered take effect in the order of their arrival.
func TestInsertionsKeepTheirOrder(t *testing.T) {
	for name, c := range map[string]func(i int) toolstest.Dict{
		"behind one cell":     func(int) toolstest.Dict { return toolstest.Dict{"after_id": "aaaaaaaa"} },
		"at one position":     func(int) toolstest.Dict { return toolstest.Dict{"position": 1} },
		"at growing ones":     func(i int) toolstest.Dict { return toolstest.Dict{"position": 1 + i} },
		"at the growing end":  func(i int) toolstest.Dict { return toolstest.Dict{"position": 2 + i} },
		"before everything":   func(int) toolstest.Dict { return toolstest.Dict{"position": 0} },
		"behind the last one": func(int) toolstest.Dict { return toolstest.Dict{"after_id": "bbbbbbbb"} },
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Test(t, func(t *testing.T) {
				r := toolstest.New(t)
				path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), toolstest.Book("aaaaaaaa:a", "bbbbbbbb:b"))
				r.Read(path)
				var turns tool.Turns
				var arrived [5]*tool.Turn
				for i := range arrived { // before any call is answered
					arrived[i] = turns.Arrive()
				}
				var calls sync.WaitGroup
				var want []string
				for i, turn := range arrived {
					source := fmt.Sprintf("new %d", i)
					want = append(want, source)
					args := toolstest.With(toolstest.With(c(i), "path", path), "exec", false)
					args["cells"] = []toolstest.Dict{{"content": source}}
					calls.Go(func() {
						defer turn.End()
						var req mcp.CallToolRequest
						req.Params.Name, req.Params.Arguments = "insert_nb_cells", args
						_, err := r.Client.CallTool(tool.WithTurn(t.Context(), turn), req)
						test.NoError(t, err)
					})
				}
				calls.Wait()
				var got []string
				for _, source := range r.Sources(path) {
					if source != "a" && source != "b" {
						got = append(got, source)
					}
				}
				test.Eq(t, want, got)
			})
		})
	}
}
