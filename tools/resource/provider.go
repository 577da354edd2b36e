package resource

import (
	"log/slog"

	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// A Provider offers the resources and prompts, and has the state that they need besides notebooks.
type Provider struct {
	*deps.Deps
	notifier *notifier
	Activity *activity.Store // nil if the toolset context is off
	Project  *ProjectFile
	Prompts  []tool.Prompt
	// Settle settles the hints of a text for clients; nil leaves them.
	Settle func(string) string
	// Log gets a record of each resource that could not be read; nil logs nothing.
	Log *slog.Logger

	modules bool // whether the project's modules are listed
}
