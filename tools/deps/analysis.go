package deps

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// The codes of the errors of analysis sessions.
const (
	CodeSession  = "session_not_found"
	CodeNotebook = "notebook_not_found"
	CodeNone     = "no_notebook"
	codeKernel   = "kernel_not_found"
	CodeCell     = "cell_not_found"
)

// Analysis finds a session of the call's client.
func (d *Deps) Analysis(ctx context.Context, id string) (*analysis.Session, error) {
	a, err := d.Analyses.Get(tool.ClientOf(ctx), id)
	return a, AnalysisError(err)
}

// AnalysisError gives an error its code, if it has one, and says what to do.
func AnalysisError(err error) error {
	switch {
	case errors.Is(err, analysis.ErrNoSession):
		return tool.Coded{Code: CodeSession, Message: err.Error() + textfmt.Hint("; session_list shows the current ones") + textfmt.Hint(", session_create makes one")}
	case errors.Is(err, analysis.ErrNoNotebook):
		return tool.Coded{Code: CodeNone, Message: err.Error() + textfmt.Hint(": session_create with notebook_path makes a session with a notebook")}
	case errors.Is(err, analysis.ErrKernelGone):
		return tool.Coded{Code: codeKernel, Message: err.Error() + textfmt.Hint("; session_create makes a session with a new one")}
	}
	if full, ok := errors.AsType[*analysis.LimitError](err); ok {
		return tool.Coded{Code: full.Kind(), Message: full.Error() + textfmt.Hint("; session_delete ends one") + "; --max-sessions sets the limit"}
	}
	return err
}

// NoNotebook is the error of a call that needs a notebook, for a session without one.
func NoNotebook(a *analysis.Session) error {
	return AnalysisError(fmt.Errorf("session %s: %w", a.ID(), analysis.ErrNoNotebook))
}

// IsNoKernel reports whether an error says that the kernel to attach to does not exist.
func IsNoKernel(err error) bool { return errors.Is(err, analysis.ErrNoKernel) }

// SessionNotebook finds one of the caller's sessions and opens its notebook, which is nil if the session has none.
func (d *Deps) SessionNotebook(ctx context.Context, id string) (*analysis.Session, *session.Document, error) {
	a, err := d.Analysis(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	doc, err := a.Open(ctx)
	switch {
	case errors.Is(err, analysis.ErrNoNotebook):
		return a, nil, nil
	case errors.Is(err, jupyter.ErrNotFound):
		return nil, nil, tool.Coded{Code: CodeNotebook, Message: fmt.Sprintf("the session's notebook %q is no longer on the Jupyter server", a.NotebookPath())}
	case err == nil:
		d.Opened.Note(ctx, doc, false)
	}
	return a, doc, err
}
