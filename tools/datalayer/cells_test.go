package datalayer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Cells are inserted, changed, moved and deleted with the answers of their server.
func TestDatalayerCells(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Use("first", "second")
		r.Wants(r.Said("insert_cell", toolstest.Dict{"cell_index": 1, "cell_type": "markdown", "cell_source": "Hello **World** !"}),
			"Cell inserted successfully at index 1 (markdown)!\nNotebook now has 3 cells, showing surrounding cells:\n"+
				"Index\tType\tCount\tFirst Line\n0\tcode\tN/A\tfirst\n1\tmarkdown\tN/A\tHello **World** !\n2\tcode\tN/A\tsecond")
		if got := r.Result("read_cell", toolstest.Dict{"cell_index": 1}); !slices.Equal(got, []string{"=====Cell 1 | type: markdown | execution count: N/A=====", "Hello **World** !"}) {
			t.Errorf("%q", got)
		}
		r.Said("insert_cell", toolstest.Dict{"cell_index": -1, "cell_type": "raw", "cell_source": "end\n", "notebook_name": "nb"})
		r.Bad("insert_cell", toolstest.Dict{"cell_index": 9, "cell_type": "code", "cell_source": ""}, "Index 9 is outside valid range [-1, 4]")
		r.Wants(r.Said("overwrite_cell_source", toolstest.Dict{"cell_index": 0, "cell_source": "first\nand more"}),
			"Cell 0 overwritten successfully!\n\n```diff\n--- \n+++ \n@@ -1 +1,2 @@\n first\n+and more\n```")
		r.Wants(r.Said("overwrite_cell_source", toolstest.Dict{"cell_index": 0, "cell_source": "first\nand more"}), "Cell 0 overwritten successfully - no changes detected")
		r.Wants(r.Said("edit_cell_source", toolstest.Dict{"cell_index": 0, "old_string": "first\nand", "new_string": "less"}),
			"Cell 0 edited successfully!\n\n```diff\n--- \n+++ \n@@ -1,2 +1 @@\n-first\n-and more\n+less more\n```")
		r.Bad("edit_cell_source", toolstest.Dict{"cell_index": 0, "old_string": "none", "new_string": ""}, "not found")
		r.Bad("edit_cell_source", toolstest.Dict{"cell_index": 0, "old_string": "e", "new_string": ""}, "Error executing tool edit_cell_source: ", "not unique")
		r.Wants(r.Said("edit_cell_source", toolstest.Dict{"cell_index": 0, "old_string": "e", "new_string": "E", "replace_all": true}),
			"Cell 0 edited successfully!\n\n```diff\n--- \n+++ \n@@ -1 +1 @@\n-less more\n+lEss morE\n```")
		r.Wants(r.Said("move_cell", toolstest.Dict{"source_index": 0, "target_index": 2}),
			"Cell moved successfully from index 0 to 2 (code).\nNotebook has 4 cells, showing surrounding cells:\n"+
				"Index\tType\tCount\tFirst Line\n0\tmarkdown\tN/A\tHello **World** !\n1\tcode\tN/A\tsecond\n2\tcode\tN/A\tlEss morE\n3\traw\tN/A\tend")
		cells := r.Read(path).Cells
		meta := r.Good("read_cell", toolstest.Dict{"cell_index": 0}, nil).Meta
		must.NotNil(t, meta)
		test.EqOp[any](t, cells[0].ID, meta.AdditionalFields["io.jupyter-mcp/cell_id"])
		r.Said("move_cell", toolstest.Dict{"source_cell_id": cells[2].ID, "target_cell_id": cells[0].ID, "source_index": nil})
		if got := r.Sources(path); !slices.Equal(got, []string{"lEss morE", "Hello **World** !", "second", "end\n"}) {
			t.Errorf("%q", got)
		}
		r.Bad("move_cell", toolstest.Dict{"source_index": 4, "target_index": 0}, "Cell index 4 is out of range. Notebook has 4 cells.")
		r.Bad("move_cell", toolstest.Dict{"source_index": 0}, "target_index or target_cell_id")
		r.Wants(r.Said("delete_cell", toolstest.Dict{"cell_indices": []int{1, 0}}),
			"Cell 1 (markdown) deleted successfully.\ndeleted cell source:\nHello **World** !\n\n---\n\nCell 0 (code) deleted successfully.\ndeleted cell source:\nlEss morE\n\n---\n")
		for _, c := range []struct {
			args toolstest.Dict
			says string
		}{
			{toolstest.Dict{"cell_indices": []int{0, 0}}, "twice"},
			{toolstest.Dict{"cell_indices": []int{0, 2}}, "Cell index 2 is out of range. Notebook has 2 cells."},
			{toolstest.Dict{"cell_ids_to_delete": []string{cells[1].ID, "none"}}, "'none'"},
			{toolstest.Dict{}, "cell_indices"},
		} {
			r.Bad("delete_cell", c.args, c.says)
		}
		r.Wants(r.Said("delete_cell", toolstest.Dict{"cell_ids_to_delete": []string{cells[1].ID}, "cell_indices": nil, "include_source": false}), "Cell 0 (code) deleted successfully.")
		r.Bad("read_cell", toolstest.Dict{"cell_index": 5}, "Cell index 5 is out of range. Notebook has 1 cells.")
		r.Bad("read_cell", toolstest.Dict{}, "cell_index or cell_id")
		r.Bad("read_cell", toolstest.Dict{"cell_id": "none", "cell_index": 0}, "'none'")
		r.Bad("clear_cell_output", toolstest.Dict{"cell_index": 0}, "Cell 0 is not a code cell, cannot clear output.")
		r.Wants(r.Said("delete_cell", toolstest.Dict{"cell_index": 0, "include_source": false}), "Cell 0 (raw) deleted successfully.")
	})
}

// Text that a person typed meanwhile stays; if both changed the same words, the call is refused.
func TestDatalayerEditsAreMerged(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Use("one two three\nfour")
		r.Result("read_cell", toolstest.Dict{"cell_index": 0})
		person := r.Person()
		r.Types(person, path, "one two three\nfour and five")
		got := r.Said("overwrite_cell_source", toolstest.Dict{"cell_index": 0, "cell_source": "one 2 three\nfour"})
		sources := r.Sources(path)
		test.Eq(t, "one 2 three\nfour and five", sources[0])
		test.StrContains(t, got, "Merged with others' changes")
		r.Result("read_cell", toolstest.Dict{"cell_index": 0})
		r.Types(person, path, "one TWO three\nfour and five")
		r.Bad("overwrite_cell_source", toolstest.Dict{"cell_index": 0, "cell_source": "one zwei three\nfour and five"}, "nothing was changed", "Their change")
	})
}

// A notebook is read as a table, or whole, page by page.
func TestReadNotebook(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		r.Use("first\nmore", "second\n", "third")
		r.Wants(r.Said("read_notebook", toolstest.Dict{"notebook_name": "nb"}), "Notebook nb has 3 cells.\n\nIndex\tType\tCount\tFirst Line\n0\tcode\tN/A\tfirst...(1 lines hidden)\n1\tcode\tN/A\tsecond\n2\tcode\tN/A\tthird")
		r.Wants(r.Said("read_notebook", toolstest.Dict{"notebook_name": "nb", "response_format": "detailed", "start_index": 1, "limit": 1}),
			"Notebook nb has 3 cells.\n\n=====Cell 1 | type: code | execution count: N/A=====\n\nsecond\n\n\n")
		if got := r.Said("read_notebook", toolstest.Dict{"notebook_name": "nb", "limit": 0, "response_format": "detailed"}); strings.Count(got, "=====Cell ") != 3 {
			t.Error(got)
		}
		r.Bad("read_notebook", toolstest.Dict{"notebook_name": "nb", "start_index": 3}, "Start index 3 is out of range. Notebook has 3 cells.")
		var sources []string
		for i := range 60 {
			sources = append(sources, fmt.Sprintf("# %d\n", i)+strings.Repeat("x", 20_000))
		}
		r.Said("use_notebook", toolstest.Dict{"notebook_name": "long", "notebook_path": r.Server.Notebook(t, sources...)})
		got := r.Said("read_notebook", toolstest.Dict{"notebook_name": "long", "limit": 0, "response_format": "detailed"})
		shown := strings.Count(got, "=====Cell ")
		test.GreaterEq(t, 10, shown)
		test.NotEq(t, 60, shown)
		test.StrHasSuffix(t, fmt.Sprintf("continue with start_index %d]", shown), got)
	})
}

// A replacement keeps Windows line ends.
func TestReplacementKeepsLineEnds(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Use("import os\r\ntry")
		r.Said("edit_cell_source", toolstest.Dict{"cell_index": 0, "old_string": "os\ntry", "new_string": "os\n\ntry"})
		test.Eq(t, "import os\r\n\r\ntry", r.Sources(path)[0])
	})
}
