package resource

import (
	"github.com/nbduet/nbduet/session/activity"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

// A Provider offers the resources and prompts, and knows what they are about besides notebooks.
type Provider struct {
	*desk.Desk
	notifier *notifier
	Activity *activity.Store // nil where the toolset context is off
	Project  *ProjectFile
	Prompts  []tool.Prompt
}
