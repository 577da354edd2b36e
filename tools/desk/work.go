package desk

import (
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/files"
	"github.com/nbduet/nbduet/session/helper"
	"github.com/nbduet/nbduet/session/listen"
)

// Work is what tools operate on: a manager's documents, analysis sessions, files, helper kernels and chats. The manager closes
// all of it when it closes. Make only one for a manager.
type Work struct {
	*session.Manager
	Analyses *analysis.Table
	Files    *files.Files
	Helper   *helper.Helper
	Chats    *listen.Chats
}

// NewWork makes the one Work of a manager.
func NewWork(m *session.Manager) *Work {
	return &Work{Manager: m, Analyses: analysis.New(m), Files: files.New(m), Helper: helper.New(m), Chats: listen.New(m)}
}
