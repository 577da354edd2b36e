package tools

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

type listDocumentsArgs struct {
	Path  string `json:"path"`
	Depth *int   `json:"max_depth"`
}

type listDocumentsResult struct {
	Documents []listedDocument `json:"documents"`
	Stopped   bool             `json:"stopped_early"`
	Message   string           `json:"message,omitempty"`
}

type listedDocument struct {
	Name         string `json:"name"`
	Path         string `json:"path"`
	Type         string `json:"type"`
	Created      string `json:"created"`
	LastModified string `json:"last_modified"`
	Size         *int64 `json:"size"`
	Writable     bool   `json:"writable"`
	URL          string `json:"url"`
}

// listDocuments makes list_documents.
func listDocuments(d *deps) tool {
	return tool{
		name:    "list_documents",
		title:   "List documents",
		toolset: toolsetDocument,
		description: "Lists what is in a folder, as it is on disk: notebooks, files and folders, and with max_depth also what is in those. " +
			"Use it to find a document's path; list_nbs finds notebooks alone. Costs one request per folder. Hidden files and checkpoints are skipped. " +
			"It stops at " + thousands(maxListed) + " entries, " + thousands(maxEntries) + " looked at, or 20 seconds, and says so in a second text.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			optional("path", text("Folder, relative to the server's root folder.").length(0, 4096).def("")),
			optional("max_depth", integer("How many levels to list: 1 is the folder itself, 2 also the folders in it, and so on.").between(1, maxDepth).def(1)),
		),
		output: object("",
			required("documents", list("What was found, sorted by path. As text it is this list alone.", object("",
				required("name", text("Name without the folder.")),
				required("path", text("Path for the other tools, without a leading slash.")),
				required("type", text("\"file\", \"directory\" or \"notebook\".")),
				required("created", text("ISO 8601 time.")),
				required("last_modified", text("ISO 8601 time.")),
				required("size", integer("Bytes on disk; null for folders.").orNull()),
				required("writable", boolean("Whether the server may write it.")),
				required("url", text("Address at which a person opens it.")),
			))),
			required("stopped_early", boolean("Whether there is more than listed.")),
			optional("message", text("Why it stopped early, or what could not be listed.")),
		),
		handle: typed(func(ctx context.Context, args listDocumentsArgs) (*answer, error) {
			root, err := jupyter.CleanPath(args.Path)
			if err != nil {
				return nil, fmt.Errorf("path: %w", err)
			}
			s := search{root: root, what: "document", capped: true, wants: func(jupyter.Content) bool { return true }}
			if args.Depth != nil {
				s.depth = *args.Depth - 1
			}
			found, note, err := walk(ctx, d.manager.Server(), s)
			if err != nil {
				return nil, missing(err, root)
			}
			base := d.manager.Server().BaseURL()
			out := listDocumentsResult{Documents: []listedDocument{}, Stopped: note.stopped != "", Message: note.String()}
			for _, c := range found {
				out.Documents = append(out.Documents, listedDocument{
					Name: c.Name, Path: c.Path, Type: c.Type, Created: stamp(c.Created), LastModified: stamp(c.LastModified),
					Size: c.Size, Writable: c.Writable, URL: pageURL(base, c.Type, c.Path),
				})
			}
			a := &answer{body: &out, parts: func() []any {
				parts := []any{out.Documents}
				if out.Message != "" {
					parts = append(parts, listNote{out.Stopped, out.Message})
				}
				return parts
			}}
			return a, a.trim(func() bool {
				if len(out.Documents) == 0 {
					return false
				}
				out.Documents = out.Documents[:len(out.Documents)*3/4]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s because the answer would be too long: give a path further down, or a smaller max_depth",
					plural(len(out.Documents), "document"))
				return true
			})
		}),
	}
}

// A listNote is what a list of documents has to say beside the list.
type listNote struct {
	Stopped bool   `json:"stopped_early"`
	Message string `json:"message"`
}
