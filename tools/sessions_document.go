package tools

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nbduet/nbduet/session"
)

type documentSession struct {
	Path         string   `json:"path"`
	SessionID    string   `json:"session_id,omitempty"`
	FileID       string   `json:"file_id,omitempty"`
	Status       string   `json:"status"`
	LastActivity string   `json:"last_activity,omitempty"`
	ExpiresIn    *float64 `json:"expires_in_seconds,omitempty"`
	Saved        *bool    `json:"saved,omitempty"`
	SaveProblem  string   `json:"save_problem,omitempty"`
	Message      string   `json:"message"`
}

// sessionProperties describe what is said of every session.
func sessionProperties() []property {
	return append([]property{
		required("path", text("Without a leading slash.")),
		optional("session_id", text("The server's collaboration session.")),
		optional("file_id", text("The server's id of the file.")),
		required("status", statusSchema("\"not_found\" where this program had not opened it.", session.Connected, session.Disconnected, notFound)),
		optional("last_activity", text("ISO 8601 time of the last use by a tool.")),
		optional("expires_in_seconds", described("number", "Until it is closed for want of use; absent while it is in use or when it has ended.")),
		required("message", text("")),
	}, savedProperties()...)
}

func describeSession(i session.Info) documentSession {
	v := documentSession{
		Path: i.Path, SessionID: i.SessionID, FileID: i.FileID, Status: i.Status, LastActivity: stamp(i.LastActivity), Message: i.Message,
	}
	if i.ExpiresIn > 0 {
		s := math.Round(i.ExpiresIn.Seconds()*10) / 10
		v.ExpiresIn = &s
	}
	if i.Unsaved != "" {
		v.Saved, v.SaveProblem = new(bool), i.Unsaved
	}
	return v
}

// queryDocumentSession makes query_document_session.
func queryDocumentSession(d *deps) tool {
	return tool{
		name:    "query_document_session",
		title:   "Document session",
		toolset: toolsetRTC,
		description: "Tells whether this program has a text document or notebook open in JupyterLab's real-time collaboration, when it was last used, when it closes by itself, and whether its file is up to date. " +
			"Use it to see whether edits are saved. Costs nothing: the server is not asked.",
		marks:  marks{readOnly: true, idempotent: true},
		input:  arguments(required("path", documentSchema("Document"))),
		output: object("", sessionProperties()...),
		handle: typed(func(_ context.Context, args documentArgs) (*answer, error) {
			clean, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			info, found, err := d.sessionAt(clean)
			if err != nil {
				return nil, err
			}
			if !found {
				return &answer{body: documentSession{Path: clean, Status: notFound, Message: "no RTC session is open for this document"}}, nil
			}
			return &answer{body: describeSession(info)}, nil
		}),
	}
}

// sessionAt is what is known of the session of a path, open or ended.
func (d *deps) sessionAt(path string) (session.Info, bool, error) {
	infos, err := d.manager.Sessions(path)
	if err != nil {
		return session.Info{}, false, err
	}
	for _, i := range infos {
		if i.Path == path {
			return i, true, nil
		}
	}
	return session.Info{}, false, nil
}

type endSessionResult struct {
	Path        string `json:"path"`
	Status      string `json:"status"`
	Message     string `json:"message"`
	Saved       *bool  `json:"saved,omitempty"`
	SaveProblem string `json:"save_problem,omitempty"`
}

// endedProperties describe an endSessionResult.
func endedProperties() []property {
	return append([]property{
		required("path", text("Without a leading slash.")),
		required("status", statusSchema("\"not_found\" where this program had not opened it.", session.Disconnected, notFound)),
		required("message", text("")),
	}, savedProperties()...)
}

// endDocumentSession makes end_document_session.
func endDocumentSession(d *deps) tool {
	return tool{
		name:    "end_document_session",
		title:   "Close a document session",
		toolset: toolsetRTC,
		description: "Saves and leaves a document's collaboration session now, before it closes for want of use. People's tabs stay as they are, " +
			"and the next tool that names the document opens it again.",
		marks:  marks{idempotent: true},
		input:  arguments(required("path", documentSchema("Document"))),
		output: object("", endedProperties()...),
		handle: typed(func(ctx context.Context, args documentArgs) (*answer, error) {
			clean, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			return d.endSession(ctx, clean, "document")
		}),
	}
}

// endSession leaves the room of what is open at a path.
func (d *deps) endSession(ctx context.Context, path, what string) (*answer, error) {
	before, _, err := d.sessionAt(path)
	if err != nil {
		return nil, err
	}
	open := before.ExpiresIn > 0 || before.Busy || before.Status == session.Connected
	info, found, err := d.manager.End(ctx, path)
	if unsaved := (*session.UnsavedError)(nil); errors.As(err, &unsaved) {
		return &answer{body: endSessionResult{
			path, session.Disconnected, "RTC session ended, but the file does not have all of it", new(bool), unsaved.Reason,
		}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the session of %s was ended, but not as it should be: %w", path, err)
	}
	out := endSessionResult{Path: path, Status: session.Disconnected, Message: "RTC session ended successfully"}
	switch {
	case !found:
		out.Status, out.Message = notFound, "no RTC session is open for this "+what
	case !open:
		out.Message = info.Message // it had ended before
	}
	return &answer{body: out}, nil
}
