package pair

import (
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// Tools makes the tools of the toolset pair.
func Tools(d *deps.Deps) []tool.Tool {
	return tool.InSet(tool.ToolsetPair,
		lookAround(d),
		changesSince(d),
		waitForChange(d),
		listAgentEdits(d),
		waitForMention(d),
		reply(d),
		listMentions(d),
		undoAgent(d),
		redoAgent(d),
		restoreNotebook(d),
	)
}
