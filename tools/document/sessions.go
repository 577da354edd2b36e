package document

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

type sessionArgs struct {
	Path string `json:"path" jsonschema:"Document" validate:"min=1,max=path" ends:"path"`
}

func (a sessionArgs) path() string { return a.Path }

// A Session describes one session.
type Session struct {
	Path         string   `json:"path" jsonschema:"Without a leading slash."`
	SessionID    string   `json:"session_id,omitempty" jsonschema:"The server's collaboration session."`
	FileID       string   `json:"file_id,omitempty" jsonschema:"The server's id of the file."`
	Status       string   `json:"status" jsonschema:"\"not_found\" if this program has not opened it." validate:"oneof=connected disconnected not_found"`
	LastActivity string   `json:"last_activity,omitempty" jsonschema:"ISO 8601 time of the last use by a tool."`
	ExpiresIn    *float64 `json:"expires_in_seconds,omitempty" jsonschema:"Until it closes for lack of use; absent while it is in use or after it has ended."`
	Message      string   `json:"message"`
	tool.FileNote
}

// DescribeSession describes a session for an answer.
func DescribeSession(i session.Info) Session {
	v := Session{
		Path: i.Path.String(), SessionID: i.SessionID, FileID: i.FileID, Status: i.Status, LastActivity: tool.Stamp(i.LastActivity), Message: i.Message,
	}
	if i.Status == session.Away {
		v.Status = session.Disconnected // clients see no difference; the message has it
	}
	if i.ExpiresIn > 0 {
		v.ExpiresIn = new(math.Round(i.ExpiresIn.Seconds()*10) / 10)
	}
	if i.Unsaved != "" {
		v.Saved, v.SaveProblem = new(bool), i.Unsaved
	}
	return v
}

// queryDocumentSession makes query_document_session.
func queryDocumentSession(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "query_document_session",
		Title: "Document session",
		Description: "Reports whether this program has a text document or notebook open in JupyterLab's real-time collaboration, when it was last used, when it closes by itself, and whether its file is up to date. " +
			"Use it to see whether edits are saved. Costs nothing: no request is sent.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.ResultOf[Session](nil),
		Call: atPath(func(ctx context.Context, clean jupyter.Path, _ sessionArgs) (*tool.Answer, error) {
			info, found := SessionAt(ctx, d, clean)
			if !found {
				return &tool.Answer{Body: Session{Path: clean.String(), Status: notFound, Message: "no RTC session is open for this document"}}, nil
			}
			return &tool.Answer{Body: DescribeSession(info)}, nil
		}),
	}
}

// SessionAt finds the session of a path, open or ended, or of the decoded path if it is percent-encoded.
func SessionAt(ctx context.Context, d *deps.Deps, path jupyter.Path) (session.Info, bool) {
	info, found := sessionAt(d, path)
	if plain, ok := target.Unescaped(path); ok && !found {
		if info, found = sessionAt(d, plain); found {
			target.Meant(ctx, path, plain)
		}
	}
	return info, found
}

func sessionAt(d *deps.Deps, path jupyter.Path) (session.Info, bool) {
	return lo.Find(d.Manager.Sessions(path), func(i session.Info) bool { return i.Path == path })
}

// An EndSessionResult is the result of ending a session.
type EndSessionResult struct {
	Path    string `json:"path" jsonschema:"Without a leading slash."`
	Status  string `json:"status" jsonschema:"\"not_found\" if this program had not opened it." validate:"oneof=disconnected not_found"`
	Message string `json:"message"`
	tool.FileNote
}

// endDocumentSession makes end_document_session.
func endDocumentSession(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "end_document_session",
		Title: "Close a document session",
		Description: "Saves and closes a document's collaboration session now, not only when it is unused. People's tabs stay as they are, " +
			"and the next tool that names the document reopens it.",
		Hints:  tool.Hints{Idempotent: true},
		Output: tool.ResultOf[EndSessionResult](nil),
		Call: atPath(func(ctx context.Context, clean jupyter.Path, _ sessionArgs) (*tool.Answer, error) {
			return EndSession(ctx, d, clean, "document")
		}),
	}
}

// EndSession leaves the room of the document that is open at a path.
func EndSession(ctx context.Context, d *deps.Deps, path jupyter.Path, what string) (*tool.Answer, error) {
	before, known := SessionAt(ctx, d, path)
	if known {
		path = before.Path
	}
	open := before.Status == session.Connected || before.Status == session.Away
	info, found, err := d.Manager.End(ctx, path)
	if unsaved := (*filesync.UnsavedError)(nil); errors.As(err, &unsaved) {
		return &tool.Answer{Body: EndSessionResult{
			Path: path.String(), Status: session.Disconnected, Message: "RTC session ended, but the file lacks some of its changes",
			FileNote: tool.FileNote{Saved: new(bool), SaveProblem: unsaved.Reason},
		}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the session of %s ended with an error, so it is not known whether the file has its last edits; read it again: %w", path, err)
	}
	out := EndSessionResult{Path: path.String(), Status: session.Disconnected, Message: "RTC session ended successfully"}
	switch {
	case d.Manager.Refused.Again(path):
		out.Status, out.Message = notFound, "no RTC session is open for this "+what+", because the server could not create its room: the next call that opens it tries again"
	case !found:
		out.Status, out.Message = notFound, "no RTC session is open for this "+what
	case !open:
		out.Message = info.Message // it had ended before
	case info.Lost != "":
		out.Message = "RTC session ended, but confirmed edits of it may be lost: " + info.Lost
	}
	return &tool.Answer{Body: out}, nil
}

const notFound = "not_found"
