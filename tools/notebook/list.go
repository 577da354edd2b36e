package notebook

import (
	"context"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

type listNbsArgs struct {
	Path string `json:"path,omitempty" jsonschema:"Folder to search, relative to the server's root folder." validate:"max=path" default:""`
	Name string `json:"name,omitempty" jsonschema:"Part of the name, or a pattern with * ? []." validate:"max=path"`
}

// A ListNbsResult is the answer of list_nbs.
type ListNbsResult struct {
	Notebooks []listedNotebook `json:"notebooks" jsonschema:"The notebooks, sorted by path."`
	Stopped   bool             `json:"stopped_early" jsonschema:"Whether the list may be incomplete."`
	Message   string           `json:"message,omitempty" jsonschema:"Why it stopped early, or what could not be listed."`
}

type listedNotebook struct {
	Path         string `json:"path" jsonschema:"Path for the other tools, without a leading slash."`
	Name         string `json:"name" jsonschema:"File name."`
	LastModified string `json:"last_modified" jsonschema:"ISO 8601 time."`
	Created      string `json:"created" jsonschema:"ISO 8601 time."`
	Size         *int64 `json:"size" jsonschema:"Bytes on disk."`
	Writable     bool   `json:"writable" jsonschema:"Whether the server may write it."`
	URL          string `json:"url" jsonschema:"Address at which a person opens it."`
}

// listNbs makes list_nbs.
func listNbs(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "list_nbs",
		Title:       "List notebooks",
		Description: "Lists the notebooks in a folder and its subfolders. Use it to find a notebook's path. Costs one request per folder: give a path if the server has many. It stops after very many entries or 20 seconds, and says so.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[ListNbsResult](nil),
		Call: tool.Typed(func(ctx context.Context, args listNbsArgs) (*tool.Answer, error) {
			root, err := target.FolderArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			named, err := parseNamed(args.Name)
			if err != nil {
				return nil, err
			}
			looked := 0 // Walk calls Wants one at a time
			found, note, err := d.Walk(ctx, files.Search{
				Root: root, What: "notebook", Depth: files.MaxDepth,
				Wants: func(c jupyter.Content) bool {
					if c.Type != "notebook" {
						return false
					}
					looked++
					return named.fits(c.Name)
				},
			})
			if err != nil {
				return nil, err
			}
			base := d.Manager.Servers().Documents.BaseURL()
			out := ListNbsResult{Notebooks: []listedNotebook{}, Stopped: note.Stopped != "", Message: note.String()}
			if len(found) == 0 && looked > 0 {
				out.Message = strings.TrimSuffix(fmt.Sprintf("none of %s match name %s; %s", textfmt.Plural(looked, "notebook"), textfmt.Quoted(args.Name), out.Message), "; ")
			}
			for _, c := range found {
				out.Notebooks = append(out.Notebooks, listedNotebook{
					Path: c.Path.String(), Name: c.Name, LastModified: tool.Stamp(c.LastModified), Created: tool.Stamp(c.Created),
					Size: c.Size, Writable: c.Writable, URL: target.PageURL(base, c.Path),
				})
			}
			a := &tool.Answer{Body: &out, Words: tool.Words(ctx, out.words)}
			return a, a.TrimTo(len(out.Notebooks), func(n int) {
				out.Notebooks = out.Notebooks[:n]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s because the answer would be too long: give a deeper path",
					textfmt.Plural(n, "notebook"))
			})
		}),
	}
}
