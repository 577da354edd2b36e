package notebook

import (
	"slices"

	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook/search"
	"github.com/nbduet/nbduet/tools/tool"
)

// Tools returns the tools for notebooks: their cells, kernels and runs.
func Tools(d *deps.Deps) []tool.Tool {
	return slices.Concat(
		tool.InSet(tool.ToolsetNotebook,
			getBaseURL(d),
			nbPathFromURL(d),
			listNbs(d),
			getNbStat(d),
			readNbCells(d),
			modifyNbCells(d),
			insertNbCells(d),
			moveNbCells(d),
			deleteNbCells(d),
			executeNbCells(d),
			restartNbKernel(d),
			listAvailableKernels(d),
			assignNbKernel(d),
		),
		tool.InSet(tool.ToolsetRuns,
			getRun(d),
			waitRun(d),
			answerInput(d),
			listRuns(d),
			cancelRun(d),
			watchRuns(d),
		),
		[]tool.Tool{runCode(d), search.Tool(d)},
		tool.InSet(tool.ToolsetRTC,
			queryNbSessions(d),
			endNbSession(d),
		),
	)
}
