package document

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

type listDocumentsArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"Folder, relative to the server's root folder." validate:"max=path" default:""`
	Depth *int   `json:"max_depth,omitempty" jsonschema:"How many levels to list: 1 is the folder itself, 2 also the folders in it, and so on." validate:"min=1,max=20" default:"1"`
}

type listDocumentsResult struct {
	Documents []ListedDocument `json:"documents" jsonschema:"The documents, sorted by path. The text form is this list alone."`
	Stopped   bool             `json:"stopped_early" jsonschema:"Whether the list is incomplete."`
	Message   string           `json:"message,omitempty" jsonschema:"Why it stopped early, or what could not be listed."`
}

// A ListedDocument is a file, notebook or folder in a list.
type ListedDocument struct {
	Name         string `json:"name" jsonschema:"Name without the folder."`
	Path         string `json:"path" jsonschema:"Path for the other tools, without a leading slash."`
	Type         string `json:"type" jsonschema:"\"file\", \"directory\" or \"notebook\"."`
	Created      string `json:"created" jsonschema:"ISO 8601 time."`
	LastModified string `json:"last_modified" jsonschema:"ISO 8601 time."`
	Size         *int64 `json:"size" jsonschema:"Bytes on disk; null for folders."`
	Writable     bool   `json:"writable" jsonschema:"Whether the server may write it."`
	URL          string `json:"url" jsonschema:"Address at which a person opens it."`
}

// listDocuments makes list_documents.
func listDocuments(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "list_documents",
		Title:       "List documents",
		Description: "Lists a folder as it is on disk: notebooks, files and folders, and with max_depth also subfolders. Use it to find a document's path. Hidden files and checkpoints are skipped. It stops after very many entries or 20 seconds, and says so in a second text.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[listDocumentsResult](nil),
		Call: tool.Typed(func(ctx context.Context, args listDocumentsArgs) (*tool.Answer, error) {
			root, err := target.FolderArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			found, note, err := d.Walk(ctx, files.Search{
				Root: root, What: "document", Depth: tool.ValueOr(args.Depth, 1) - 1, Capped: true, Wants: func(jupyter.Content) bool { return true },
			})
			if err != nil {
				return nil, Missing(err, root)
			}
			base := d.Manager.Servers().Documents.BaseURL()
			out := listDocumentsResult{Documents: []ListedDocument{}, Stopped: note.Stopped != "", Message: note.String()}
			for _, c := range found {
				out.Documents = append(out.Documents, ListedDocument{
					Name: c.Name, Path: c.Path.String(), Type: c.Type, Created: tool.Stamp(c.Created), LastModified: tool.Stamp(c.LastModified),
					Size: c.Size, Writable: c.Writable, URL: target.PageURL(base, c.Path),
				})
			}
			a := &tool.Answer{Body: &out, Parts: func() []any {
				parts := []any{out.Documents}
				if out.Message != "" {
					parts = append(parts, ListNote{out.Stopped, out.Message})
				}
				return parts
			}}
			return a, a.TrimTo(len(out.Documents), func(n int) {
				out.Documents = out.Documents[:n]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s because the answer would be too long: give a deeper path, or a smaller max_depth",
					textfmt.Plural(n, "document"))
			})
		}),
	}
}

// A ListNote is the note after a list of documents.
type ListNote struct {
	Stopped bool   `json:"stopped_early"`
	Message string `json:"message"`
}
