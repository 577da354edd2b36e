package notebook

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

type querySessionsArgs struct {
	RootPath string `json:"root_path,omitempty" jsonschema:"Folder, relative to the server's root folder. Left out: all." validate:"max=path" default:""`
}

// A QuerySessionsResult is the answer of query_nb_sessions.
type QuerySessionsResult struct {
	RootPath string        `json:"root_path" jsonschema:"The folder, without a leading slash; \"\" is the server's root."`
	Sessions []sessionView `json:"sessions" jsonschema:"By path."`
	Total    int           `json:"total_sessions"`
	Active   int           `json:"active_sessions" jsonschema:"Connected ones."`
	Message  string        `json:"message,omitempty" jsonschema:"Why not all sessions are listed."`
}

type sessionView struct {
	document.Session
	CellCount int `json:"cell_count" jsonschema:"Cells when last seen."`
}

// queryNbSessions makes query_nb_sessions.
func queryNbSessions(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:  "query_nb_sessions",
		Title: "Open notebook sessions",
		Description: "Lists the notebooks below a folder that this program has, or recently had, open in JupyterLab's real-time collaboration. " +
			"Use it to see which notebooks you have open and when they close by themselves. Costs nothing: no request is sent.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tool.ResultOf[QuerySessionsResult](nil),
		Call: tool.Typed(func(_ context.Context, args querySessionsArgs) (*tool.Answer, error) {
			root, err := target.FolderArg("root_path", args.RootPath)
			if err != nil {
				return nil, err
			}
			out := QuerySessionsResult{RootPath: root.String(), Sessions: []sessionView{}}
			for _, i := range d.Manager.Sessions(root) {
				if !i.Notebook {
					continue
				}
				if out.Total++; i.Status == session.Connected {
					out.Active++
				}
				out.Sessions = append(out.Sessions, sessionView{document.DescribeSession(i), i.Cells})
			}
			a := &tool.Answer{Body: &out}
			return a, a.TrimTo(len(out.Sessions), func(n int) {
				out.Sessions = out.Sessions[:n]
				out.Message = "the list ends after " + textfmt.Plural(n, "session") + " because the answer would be too long: give a root_path"
			})
		}),
	}
}

// endNbSession makes end_nb_session.
func endNbSession(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "end_nb_session",
		Title:       "Close a notebook session",
		Description: "Saves and closes a notebook's collaboration session now, not only when it is unused. The kernel keeps running, people's tabs stay as they are, and the next call reopens it. Later output of a running cell is not written to the notebook.",
		Hints:       tool.Hints{Idempotent: true},
		Output:      tool.ResultOf[document.EndSessionResult](nil),
		Call: tool.Typed(func(ctx context.Context, args target.InNotebook) (*tool.Answer, error) {
			path, err := target.NotebookArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			if info, found := document.SessionAt(ctx, d, path); found && !info.Notebook {
				return nil, fmt.Errorf("path %s is a text document, not a notebook"+textfmt.Hint(": end_document_session closes it"), textfmt.Quoted(path.String()))
			}
			return document.EndSession(ctx, d, path, "notebook")
		}),
	}
}
