package tools

import (
	"context"
	"fmt"

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
	documentSession
	CellCount int `json:"cell_count"`
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
			required("sessions", list("By path.", object("", append(sessionProperties(),
				required("cell_count", integer("Cells when last seen.")))...))),
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
			out := querySessionsResult{RootPath: root, Sessions: []sessionView{}}
			for _, i := range infos {
				if !i.Notebook {
					continue
				}
				if out.Total++; i.Status == session.Connected {
					out.Active++
				}
				out.Sessions = append(out.Sessions, sessionView{describeSession(i), i.Cells})
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

// endNbSession makes end_nb_session.
func endNbSession(d *deps) tool {
	return tool{
		name:    "end_nb_session",
		title:   "Close a notebook session",
		toolset: toolsetRTC,
		description: "Saves and leaves a notebook's collaboration session now, before it closes for want of use. The kernel keeps running, people's tabs stay as they are, " +
			"and the next tool that names the notebook opens it again. A cell that is still running goes on in the kernel, but its further output is not written into the notebook.",
		marks:  marks{idempotent: true},
		input:  arguments(required("path", pathSchema())),
		output: object("", endedProperties()...),
		handle: typed(func(ctx context.Context, args notebookArgs) (*answer, error) {
			path, err := notebookArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			info, found, err := d.sessionAt(path)
			if err != nil {
				return nil, err
			}
			if found && !info.Notebook {
				return nil, fmt.Errorf("path %s is a text document, not a notebook: end_document_session closes it", quoted(path))
			}
			return d.endSession(ctx, path, "notebook")
		}),
	}
}
