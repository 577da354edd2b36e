package tools

import (
	"cmp"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/tool"
)

// core are the tools that are listed if no toolsets are chosen: the everyday tools. They stay at most 20, in 4,700 tokens;
// e2e/listing counts.
var core = []string{
	"list_nbs", "read_nb_cells", "insert_nb_cells", "modify_nb_cells", "edit_text", "delete_nb_cells",
	"execute_nb_cells", "run_code", "restart_nb_kernel", "watch_runs", "cancel_run", "search", "create_document",
	"inspect_data", "look_around", "changes_since", "wait_for_mention", "undo_agent", nameFindTools, nameCallTool,
}

// main are the tools that a host that hides tools should always show.
var main = []string{"list_nbs", "read_nb_cells", "insert_nb_cells", "modify_nb_cells", "edit_text", "execute_nb_cells"}

// hints are words by which find_tools, and hosts that hide tools, find a tool, beside those of its name and title.
var hints = map[string]string{
	"answer_input":           "respond to the prompt of input()",
	"assign_nb_kernel":       "use another kernel, language or environment for a notebook",
	"cancel_run":             "interrupt or stop a running cell or its execution",
	"copy_document":          "duplicate a file or notebook, make a backup",
	"create_document":        "make a new notebook, Markdown or text file",
	"delete_document":        "remove a file, notebook or folder from disk",
	"delete_nb_cells":        "remove cells, or clear outputs",
	"get_document_content":   "read a text file, Python module or Markdown",
	"get_document_info":      "size, type and modification time of a file",
	"get_nb_stat":            "state of a notebook's kernel, and who has it open",
	"inspect_data":           "show variables, data frames, CSV, Excel and Parquet files",
	"list_available_kernels": "installed kernels, languages and environments to start",
	"list_documents":         "files and folders in a directory",
	"look_around":            "who is here, carets and selections of people",
	"modify_nb_cells":        "split, merge or move cells, change their type",
	"move_nb_cells":          "reorder cells",
	"overwrite_document":     "replace the whole content of a file",
	"rename_document":        "move a file or notebook into another folder, give it another name",
	"restart_nb_kernel":      "clean state, run all cells, change the kernel",
	"run_code":               "Python in a notebook's kernel, without adding a cell",
	"search":                 "find text, definitions of functions or errors in cells and notebooks",
	"undo_agent":             "take back the agent's last change",
	"wait_for_change":        "wait until a person has changed something",
	"watch_runs":             "running cells and executions: list, follow output, wait for the end",
}

// furtherSets returns the further toolsets that a tool is in because of its own set or because core names it.
func furtherSets(t tool.Tool) (sets []string) {
	if slices.Contains(core, t.Name) && t.Toolset != tool.ToolsetCore {
		sets = append(sets, tool.ToolsetCore)
	}
	switch t.Toolset {
	case tool.ToolsetNotebook, tool.ToolsetDocument, tool.ToolsetRTC:
		sets = append(sets, tool.ToolsetRTCMCP)
	case tool.ToolsetCells:
		sets = append(sets, tool.ToolsetAnalysis)
	}
	return sets
}

// definition returns a tool's definition with the hints for hosts that hide tools, in the form of Claude Code.
func definition(t tool.Tool) mcp.Tool {
	def := t.Definition()
	def.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/searchHint": cmp.Or(hints[t.Name], t.Title)})
	if slices.Contains(main, t.Name) {
		def.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
	}
	return def
}
