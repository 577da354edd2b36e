package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

type listNbsArgs struct {
	Path string `json:"path"`
}

type listNbsResult struct {
	Notebooks []listedNotebook `json:"notebooks"`
	Stopped   bool             `json:"stopped_early"`
	Message   string           `json:"message,omitempty"`
}

type listedNotebook struct {
	Path         string `json:"path"`
	Name         string `json:"name"`
	LastModified string `json:"last_modified"`
	Created      string `json:"created"`
	Size         *int64 `json:"size"`
	Writable     bool   `json:"writable"`
	URL          string `json:"url"`
}

// listNbs makes list_nbs.
func listNbs(d *deps) tool {
	return tool{
		name:    "list_nbs",
		title:   "List notebooks",
		toolset: toolsetNotebook,
		description: "Lists the notebooks below a folder, recursively, as they are on disk. Use it to find a notebook's path. " +
			"Costs one request per folder; give a path where the server has many. Hidden folders and checkpoints are skipped. " +
			"It stops at " + thousands(maxEntries) + " entries, " + thousands(maxListed) + " notebooks, " + fmt.Sprint(maxDepth) +
			" folders deep or 20 seconds, and says so.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			optional("path", text("Folder to search, relative to the server's root folder.").length(0, 4096).def("")),
		),
		output: object("",
			required("notebooks", list("The notebooks found, sorted by path.", object("",
				required("path", text("Path for the other tools, without a leading slash.")),
				required("name", text("File name.")),
				required("last_modified", text("ISO 8601 time.")),
				required("created", text("ISO 8601 time.")),
				required("size", integer("Bytes on disk.").orNull()),
				required("writable", boolean("Whether the server may write it.")),
				required("url", text("Address at which a person opens it.")),
			))),
			required("stopped_early", boolean("Whether there may be more notebooks than listed.")),
			optional("message", text("Why it stopped early, or what could not be listed.")),
		),
		handle: typed(func(ctx context.Context, args listNbsArgs) (*answer, error) {
			root, err := jupyter.CleanPath(args.Path)
			if err != nil {
				return nil, fmt.Errorf("path: %w", err)
			}
			found, note, err := walk(ctx, d.manager.Server(), search{
				root: root, what: "notebook", depth: maxDepth,
				wants: func(c jupyter.Content) bool { return c.Type == "notebook" },
			})
			if err != nil {
				return nil, err
			}
			base := d.manager.Server().BaseURL()
			out := listNbsResult{Notebooks: []listedNotebook{}, Stopped: note.stopped != "", Message: note.String()}
			for _, c := range found {
				out.Notebooks = append(out.Notebooks, listedNotebook{
					Path: c.Path, Name: c.Name, LastModified: stamp(c.LastModified), Created: stamp(c.Created),
					Size: c.Size, Writable: c.Writable, URL: pageURL(base, c.Type, c.Path),
				})
			}
			a := &answer{body: &out}
			return a, a.trim(func() bool {
				if len(out.Notebooks) == 0 {
					return false
				}
				out.Notebooks = out.Notebooks[:len(out.Notebooks)*3/4]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s because the answer would be too long: give a path further down",
					plural(len(out.Notebooks), "notebook"))
				return true
			})
		}),
	}
}

// stamp writes a time as the tools do: ISO 8601, UTC, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
