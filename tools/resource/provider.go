package resource

import (
	"github.com/nbduet/nbduet/session/activity"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

// A Provider offers the resources and prompts, and holds what they need besides notebooks.
type Provider struct {
	*desk.Desk
	notifier *notifier
	Activity *activity.Store // nil if the toolset context is off
	Project  *ProjectFile
	Prompts  []tool.Prompt
	// Settle settles the hints of a text for clients; nil leaves them.
	Settle func(string) string
}
