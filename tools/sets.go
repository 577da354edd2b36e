package tools

import (
	"slices"

	"github.com/nbduet/nbduet/tools/tool"
)

// core are the tools that are listed if no toolsets are chosen: the everyday tools. They stay at most 20, in 5,000 tokens;
// e2e/listing counts.
var core = []string{
	"list_nbs", "read_nb_cells", "insert_nb_cells", "modify_nb_cells", "edit_text", "delete_nb_cells",
	"execute_nb_cells", "run_code", "restart_nb_kernel", "watch_runs", "cancel_run", "search", "create_document",
	"inspect_data", "look_around", "changes_since", "wait_for_mention", "undo_agent", nameFindTools, nameCallTool,
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
