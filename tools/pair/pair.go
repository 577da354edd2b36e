package pair

import (
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

// Tools makes the tools of the toolset pair.
func Tools(d *desk.Desk) []tool.Tool {
	return []tool.Tool{
		changesSince(d),
		waitForChange(d),
	}
}
