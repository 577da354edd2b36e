package deps

import (
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/service/chatwatch"
	"github.com/nbduet/nbduet/session/service/filepreview"
	"github.com/nbduet/nbduet/session/service/files"
)

// Work is the state that tools operate on: a manager's documents, analysis sessions, files, helper kernels and chats.
// Closing the manager closes all of it. Make only one for a manager.
type Work struct {
	*session.Manager
	Analyses *analysis.Table
	Files    *files.Files
	Helper   *filepreview.Helper
	Chats    *chatwatch.Chats
}

// NewWork makes the one Work of a manager.
func NewWork(m *session.Manager) *Work {
	return &Work{Manager: m, Analyses: analysis.New(m), Files: files.New(m), Helper: filepreview.New(m), Chats: chatwatch.New(m)}
}
