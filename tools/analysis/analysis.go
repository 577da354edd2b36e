package analysis

import (
	"slices"

	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// Tools returns the tools of analysis sessions, and the further names for cells and files.
func Tools(d *deps.Deps) []tool.Tool {
	inspect := &inspector{Deps: d}
	return slices.Concat(
		tool.InSet(tool.ToolsetAnalysis,
			sessionCreate(d),
			sessionList(d),
			sessionConnect(d),
			sessionDelete(d),
		),
		tool.InSet(tool.ToolsetCells,
			notebookCreate(d),
			notebookAddCell(d),
			notebookEditCell(d),
			notebookDeleteCell(d),
			notebookMoveCell(d),
			notebookGet(d),
			notebookImport(d),
			notebookFromTemplate(d),
			fileList(d),
			fileRead(d),
			fileGet(d),
		),
		tool.InSet(tool.ToolsetAnalysis,
			interruptExecution(d),
			getVariables(inspect),
			getVariable(inspect),
			getDataFrameInfo(inspect),
			inspectData(inspect),
			previewData(d),
			getImageResource(d),
		),
	)
}
