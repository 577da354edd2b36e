package tools

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
)

type querySessionsArgs struct {
	RootPath string `json:"root_path"`
}

type querySessionsResult struct {
	RootPath string        `json:"root_path"`
	Sessions []sessionView `json:"sessions"`
	Total    int           `json:"total_sessions"`
	Active   int           `json:"active_sessions"`
	Message  string        `json:"message,omitempty"`
}

type sessionView struct {
	Path         string   `json:"path"`
	SessionID    string   `json:"session_id,omitempty"`
	FileID       string   `json:"file_id,omitempty"`
	Status       string   `json:"status"`
	CellCount    int      `json:"cell_count"`
	LastActivity string   `json:"last_activity,omitempty"`
	ExpiresIn    *float64 `json:"expires_in_seconds,omitempty"`
	Saved        *bool    `json:"saved,omitempty"`
	SaveProblem  string   `json:"save_problem,omitempty"`
	Message      string   `json:"message"`
}

const notFound = "not_found"

func statusSchema(description string, values ...string) schema { return oneOf(description, values...) }

// queryNbSessions makes query_nb_sessions.
func queryNbSessions(d *deps) tool {
	return tool{
		name:    "query_nb_sessions",
		title:   "Open notebook sessions",
		toolset: toolsetRTC,
		description: "Lists the notebooks below a folder that this program has open, or had open lately, in JupyterLab's real-time collaboration. " +
			"Use it to see which notebooks you hold and when they close by themselves. Costs nothing: the server is not asked.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			optional("root_path", text("Folder, relative to the server's root folder. Left out: all.").length(0, 4096).def("")),
		),
		output: object("",
			required("root_path", text("The folder, without a leading slash; \"\" is the server's root.")),
			required("sessions", list("By path.", object("", append([]property{
				required("path", text("")),
				optional("session_id", text("The server's collaboration session.")),
				optional("file_id", text("The server's id of the file.")),
				required("status", statusSchema("", session.Connected, session.Disconnected, notFound)),
				required("cell_count", integer("Cells when last seen.")),
				optional("last_activity", text("ISO 8601 time of the last use by a tool.")),
				optional("expires_in_seconds", described("number", "Until it is closed for want of use; absent while it is in use or when it has ended.")),
				required("message", text("")),
			}, savedProperties()...)...))),
			required("total_sessions", integer("")),
			required("active_sessions", integer("Those that are connected.")),
			optional("message", text("Why not all sessions are listed.")),
		),
		handle: typed(func(_ context.Context, args querySessionsArgs) (*answer, error) {
			root, err := jupyter.CleanPath(args.RootPath)
			if err != nil {
				return nil, fmt.Errorf("root_path: %w", err)
			}
			infos, err := d.manager.Sessions(root)
			if err != nil {
				return nil, err
			}
			out := querySessionsResult{RootPath: root, Sessions: []sessionView{}, Total: len(infos)}
			for _, i := range infos {
				v := sessionView{
					Path: i.Path, SessionID: i.SessionID, FileID: i.FileID, Status: i.Status, CellCount: i.Cells,
					LastActivity: stamp(i.LastActivity), Message: i.Message,
				}
				if i.Status == session.Connected {
					out.Active++
				}
				if i.ExpiresIn > 0 {
					s := math.Round(i.ExpiresIn.Seconds()*10) / 10
					v.ExpiresIn = &s
				}
				if i.Unsaved != "" {
					v.Saved, v.SaveProblem = new(bool), i.Unsaved
				}
				out.Sessions = append(out.Sessions, v)
			}
			a := &answer{body: &out}
			return a, a.trim(func() bool {
				if len(out.Sessions) == 0 {
					return false
				}
				out.Sessions = out.Sessions[:len(out.Sessions)*3/4]
				out.Message = "the list ends after " + plural(len(out.Sessions), "session") + " because the answer would be too long: give a root_path"
				return true
			})
		}),
	}
}

type endSessionResult struct {
	Path        string `json:"path"`
	Status      string `json:"status"`
	Message     string `json:"message"`
	Saved       *bool  `json:"saved,omitempty"`
	SaveProblem string `json:"save_problem,omitempty"`
}

// endNbSession makes end_nb_session.
func endNbSession(d *deps) tool {
	return tool{
		name:    "end_nb_session",
		title:   "Close a notebook session",
		toolset: toolsetRTC,
		description: "Saves and leaves a notebook's collaboration session now, before it closes for want of use. The kernel keeps running, people's tabs stay as they are, " +
			"and the next tool that names the notebook opens it again. A cell that is still running goes on in the kernel, but its further output is not written into the notebook.",
		marks: marks{idempotent: true},
		input: arguments(required("path", pathSchema())),
		output: object("", append([]property{
			required("path", text("The notebook, without a leading slash.")),
			required("status", statusSchema("\"not_found\" where this program had not opened it.", session.Disconnected, notFound)),
			required("message", text("")),
		}, savedProperties()...)...),
		handle: typed(func(ctx context.Context, args notebookArgs) (*answer, error) {
			path, err := notebookArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			open, err := d.isOpen(path)
			if err != nil {
				return nil, err
			}
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
				out.Status, out.Message = notFound, "no RTC session is open for this notebook"
			case !open:
				out.Message = info.Message // it had ended before
			}
			return &answer{body: out}, nil
		}),
	}
}

// isOpen tells whether a notebook is open here now.
func (d *deps) isOpen(path string) (bool, error) {
	infos, err := d.manager.Sessions(path)
	if err != nil {
		return false, err
	}
	for _, i := range infos {
		if i.Path == path {
			return i.ExpiresIn > 0 || i.Busy || i.Status == session.Connected, nil
		}
	}
	return false, nil
}
