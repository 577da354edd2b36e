package document

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

type listDocumentsArgs struct {
	Path  string `json:"path"`
	Depth *int   `json:"max_depth"`
}

type listDocumentsResult struct {
	Documents []ListedDocument `json:"documents"`
	Stopped   bool             `json:"stopped_early"`
	Message   string           `json:"message,omitempty"`
}

type ListedDocument struct {
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
func listDocuments(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "list_documents",
		Title:   "List documents",
		Toolset: tool.ToolsetDocument,
		Description: "Lists what is in a folder, as it is on disk: notebooks, files and folders, and with max_depth also what is in those. " +
			"Use it to find a document's path; list_nbs finds notebooks alone. Costs one request per folder. Hidden files and checkpoints are skipped. " +
			"It stops at " + tool.Thousands(MaxListed) + " entries, " + tool.Thousands(MaxEntries) + " looked at, or 20 seconds, and says so in a second text.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(
			tool.Optional("path", tool.Text("Folder, relative to the server's root folder.").Length(0, 4096).Def("")),
			tool.Optional("max_depth", tool.Integer("How many levels to list: 1 is the folder itself, 2 also the folders in it, and so on.").Between(1, MaxDepth).Def(1)),
		),
		Output: tool.Object("",
			tool.Required("documents", tool.List("What was found, sorted by path. As text it is this list alone.", tool.Object("",
				tool.Required("name", tool.Text("Name without the folder.")),
				tool.Required("path", tool.Text("Path for the other tools, without a leading slash.")),
				tool.Required("type", tool.Text("\"file\", \"directory\" or \"notebook\".")),
				tool.Required("created", tool.Text("ISO 8601 time.")),
				tool.Required("last_modified", tool.Text("ISO 8601 time.")),
				tool.Required("size", tool.Integer("Bytes on disk; null for folders.").OrNull()),
				tool.Required("writable", tool.Boolean("Whether the server may write it.")),
				tool.Required("url", tool.Text("Address at which a person opens it.")),
			))),
			tool.Required("stopped_early", tool.Boolean("Whether there is more than listed.")),
			tool.Optional("message", tool.Text("Why it stopped early, or what could not be listed.")),
		),
		Handle: tool.Typed(func(ctx context.Context, args listDocumentsArgs) (*tool.Answer, error) {
			root, err := jupyter.CleanPath(args.Path)
			if err != nil {
				return nil, fmt.Errorf("path: %w", err)
			}
			s := Search{Root: root, What: "document", Capped: true, Wants: func(jupyter.Content) bool { return true }}
			if args.Depth != nil {
				s.Depth = *args.Depth - 1
			}
			found, note, err := Walk(ctx, d.Manager.Server(), s)
			if err != nil {
				return nil, Missing(err, root)
			}
			base := d.Manager.Server().BaseURL()
			out := listDocumentsResult{Documents: []ListedDocument{}, Stopped: note.Stopped != "", Message: note.String()}
			for _, c := range found {
				out.Documents = append(out.Documents, ListedDocument{
					Name: c.Name, Path: c.Path, Type: c.Type, Created: tool.Stamp(c.Created), LastModified: tool.Stamp(c.LastModified),
					Size: c.Size, Writable: c.Writable, URL: desk.PageURL(base, c.Type, c.Path),
				})
			}
			a := &tool.Answer{Body: &out, Parts: func() []any {
				parts := []any{out.Documents}
				if out.Message != "" {
					parts = append(parts, ListNote{out.Stopped, out.Message})
				}
				return parts
			}}
			return a, a.Trim(func() bool {
				if len(out.Documents) == 0 {
					return false
				}
				out.Documents = out.Documents[:len(out.Documents)*3/4]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s because the answer would be too long: give a path further down, or a smaller max_depth",
					tool.Plural(len(out.Documents), "document"))
				return true
			})
		}),
	}
}

// A ListNote is what a list of documents has to say beside the list.
type ListNote struct {
	Stopped bool   `json:"stopped_early"`
	Message string `json:"message"`
}
