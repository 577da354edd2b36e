package datalayer

import "github.com/nbduet/nbduet/tools/tool"

// Tools returns all tools of the toolset.
func (d *Toolset) Tools() []tool.Tool {
	return tool.InSet(tool.ToolsetDatalayer,
		connectToJupyter(d),
		listNotebooks(d),
		useNotebook(d),
		unuseNotebook(d),
		restartNotebook(d),
		readNotebook(d),
		readCell(d),
		insertCell(d),
		insertExecuteCodeCell(d),
		overwriteCellSource(d),
		editCellSource(d),
		moveCell(d),
		deleteCell(d),
		clearCellOutput(d),
		listFiles(d),
		listKernels(d),
		listNotebook(d),
		listCells(d),
		readCells(d),
		executeCellSimpleTimeout(d),
		executeCellStreaming(d),
		executeCellWithProgress(d),
		executeIPython(d),
	)
}
