package tools_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// placing are the tools that name a cell or a place by an index and destroy no text, and why. Their calls are in named.
var placing = map[string]string{
	"insert_nb_cells":             "adds",
	"notebook_add_cell":           "adds",
	"insert_cell":                 "adds",
	"insert_execute_code_cell":    "adds",
	"move_nb_cells":               "keeps the text; see TestNextMoveAfterARefusal",
	"move_cell":                   "the same",
	"notebook_move_cell":          "the same",
	"execute_nb_cells":            "is of outputs",
	"execute_cell":                "is of outputs",
	"execute_cell_simple_timeout": "is of outputs",
	"execute_cell_streaming":      "is of outputs",
	"execute_cell_with_progress":  "is of outputs",
	"clear_cell_output":           "is of outputs, which running makes again",
}

// wordEdits are the tools that replace words of a cell, each called for the words "b = 2" of the second cell.
var wordEdits = map[string]toolstest.Dict{
	"edit_text":        {"cell_id": "c1", "old_text": "b = 2", "new_text": "new"},
	"edit_cell_source": {"cell_id": "c1", "old_string": "b = 2", "new_string": "new"},
}

// harmless are the tools that write and cannot lose a person's text, and why.
var harmless = map[string]string{
	"restart_nb_kernel":      "is of variables and outputs",
	"restart_notebook":       "is of variables",
	"assign_nb_kernel":       "is of variables",
	"answer_input":           "is of a run",
	"cancel_run":             "is of a run",
	"interrupt_execution":    "is of a run",
	"execute_code":           "runs in no cell",
	"execute_ipython":        "runs in no cell",
	"session_create":         "starts a kernel",
	"session_delete":         "is of variables",
	"use_notebook":           "opens a notebook",
	"unuse_notebook":         "closes a notebook",
	"end_nb_session":         "leaves a room",
	"end_document_session":   "leaves a room",
	"notebook_create":        "is a new file; see TestNewFilesReplaceNone",
	"notebook_import":        "the same",
	"notebook_from_template": "the same",
	"create_document":        "the same",
	"copy_document":          "the same",
	"rename_document":        "the same",
	"delete_document":        "is of a file, which is named by its path",
	"reply":                  "adds a cell",
	"run_code":               "writes no text",
	"record_context":         "adds to a file of the project",
	"undo_agent":             "takes back what the client itself wrote, and keeps what others did",
	"redo_agent":             "makes that again",
	"restore_notebook":       "replaces texts if the user asks for it, as a step that undo_agent undoes",
	"call_tool":              "is the tool that it calls",
}

// Every tool that writes has its calls in a table, or a reason why it loses no text, and each tool in a table exists and
// writes.
func TestAllWritersAreTested(t *testing.T) {
	indexed := map[string]bool{}
	for name := range named {
		tool, _, _ := strings.Cut(name, ".")
		indexed[tool] = true
	}
	writes := map[string]bool{}
	for _, d := range tools.Definitions() {
		if d.Hints.ReadOnly {
			continue
		}
		writes[d.Name] = true
		_, ofCells := destroying[d.Name]
		_, ofTexts := textWriters[d.Name]
		_, ofWords := wordEdits[d.Name]
		_, ofPlaces := placing[d.Name]
		_, no := harmless[d.Name]
		in := 0
		for _, is := range []bool{ofCells || ofTexts || ofWords, ofPlaces, no} {
			if is {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%s is in %d of the tables of what can be refused, of places and of what is harmless; want 1", d.Name, in)
		}
		test.False(t, ofPlaces && !indexed[d.Name])
		test.False(t, no && indexed[d.Name])
	}
	for _, all := range []map[string]bool{keysOf(destroying), keysOf(textWriters), keysOf(wordEdits), keysOf(placing), keysOf(harmless), indexed} {
		for name := range all {
			if !writes[name] {
				t.Errorf("there is no tool %s that writes", name)
			}
		}
	}
}

func keysOf[V any](m map[string]V) map[string]bool {
	keys := make(map[string]bool, len(m))
	for k := range m {
		keys[k] = true
	}
	return keys
}
