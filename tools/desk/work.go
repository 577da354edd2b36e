package desk

import (
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/files"
	"github.com/nbduet/nbduet/session/helper"
)

// Work is what tools work with: the documents of a manager, and what there is beside them. The manager closes all of it
// when it is closed itself. There is to be one for a manager.
type Work struct {
	*session.Manager
	Analyses *analysis.Table
	Files    *files.Files
	Helper   *helper.Helper
}

// NewWork makes the work of a manager.
func NewWork(m *session.Manager) *Work {
	return &Work{Manager: m, Analyses: analysis.New(m), Files: files.New(m), Helper: helper.New(m)}
}
