package datalayer_test

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A call that names no notebook says on which one it acted; a call that names one does not.
func TestCurrentNotebookIsNamed(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Use("1", "2", "3", "4")
		says := func(tool string, args toolstest.Dict) bool {
			t.Helper()
			for _, item := range r.Good(tool, args, nil).Content {
				if text, ok := item.(mcp.TextContent); ok && text.Text == "[NOTE] acted on the current notebook, "+path {
					return true
				}
			}
			return false
		}
		for _, call := range []struct {
			tool string
			args toolstest.Dict
		}{
			{"list_cells", nil},
			{"read_cells", nil},
			{"read_cell", toolstest.Dict{"cell_index": 0}},
			{"insert_cell", toolstest.Dict{"cell_index": 1, "cell_type": "code", "cell_source": "5"}},
			{"overwrite_cell_source", toolstest.Dict{"cell_index": 0, "cell_source": "6"}},
			{"edit_cell_source", toolstest.Dict{"cell_index": 0, "old_string": "6", "new_string": "7"}},
			{"move_cell", toolstest.Dict{"source_index": 0, "target_index": 1}},
			{"execute_cell", toolstest.Dict{"cell_index": 0}},
			{"execute_ipython", toolstest.Dict{"code": "8"}},
			{"execute_code", toolstest.Dict{"code": "9"}},
			{"insert_execute_code_cell", toolstest.Dict{"cell_index": 0, "cell_source": "10"}},
			{"clear_cell_output", toolstest.Dict{"cell_index": 0}},
			{"delete_cell", toolstest.Dict{"cell_indices": []int{0}}},
		} {
			test.True(t, says(call.tool, call.args), test.Sprint(call.tool))
		}
		test.False(t, says("read_cell", toolstest.Dict{"cell_index": 0, "notebook_name": "nb"}))
	})
}
