package document

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

type infoArgs struct {
	Path    string `json:"path" jsonschema:"Document or folder" validate:"min=1,max=path" ends:"path"`
	Include bool   `json:"include_content,omitempty" jsonschema:"Whether to return the content too." default:"false"`
	Max     *int   `json:"max_content,omitempty" jsonschema:"Maximum characters of content." validate:"min=1,max=400000" default:"32768"`
}

func (a infoArgs) path() string { return a.Path }

// Info has the properties of a file, notebook or folder on the server.
type Info struct {
	Name         string `json:"name" jsonschema:"Name without the folder."`
	Path         string `json:"path" jsonschema:"The document, without a leading slash."`
	Type         string `json:"type" jsonschema:"\"file\", \"directory\" or \"notebook\"."`
	Format       string `json:"format" jsonschema:"\"text\", \"base64\" or \"json\"."`
	Created      string `json:"created" jsonschema:"ISO 8601 time."`
	LastModified string `json:"last_modified" jsonschema:"ISO 8601 time at which the file on disk was last written."`
	Size         *int64 `json:"size" jsonschema:"Bytes on disk; null for folders."`
	Writable     bool   `json:"writable" jsonschema:"Whether the server may write it."`
	MimeType     string `json:"mimetype"`
	URL          string `json:"url" jsonschema:"Address at which a person opens it."`
}

type contentInfo struct {
	Length    int    `json:"content_length" jsonschema:"Length of the whole content" ends:"characters"`
	Truncated bool   `json:"truncated" jsonschema:"Whether there is more content than returned."`
	Revision  string `json:"revision,omitempty" jsonschema:"For notebooks."`
}

// An infoResult has the properties and the content in one object, for hosts that read structured content.
type infoResult struct {
	Info
	*contentInfo
	Content *string `json:"content,omitempty" jsonschema:"The content; in the text form a separate text."`
}

// besideContent is the text before the content.
type besideContent struct {
	Info
	Carets []string `json:"carets,omitempty"`
}

// Refine implements tool.Refiner.
func (infoResult) Refine(f tool.Fields) {
	f.Optional("content_length", "truncated")
}

// getDocumentInfo makes get_document_info.
func getDocumentInfo(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "get_document_info",
		Title:       "Document properties",
		Description: "Returns the properties of a file, notebook or folder: type, size, times, address. Use it before reading an unknown file. With include_content, also the content, in two further texts: text and notebooks as they are now, other files as base64.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[infoResult](nil).WithCarets(),
		Call: atPath(func(ctx context.Context, clean jupyter.Path, args infoArgs) (*tool.Answer, error) {
			file, content, err := properties(ctx, d, clean, args.Include)
			if err != nil {
				return nil, Missing(err, clean)
			}
			out := infoResult{Info: Info{
				Name: file.Name, Path: file.Path.String(), Type: file.Type, Format: file.Format, Created: tool.Stamp(file.Created), LastModified: tool.Stamp(file.LastModified),
				Size: file.Size, Writable: file.Writable, MimeType: file.MimeType, URL: target.PageURL(d.Manager.Servers().Documents.BaseURL(), file.Path),
			}}
			a := &tool.Answer{Body: &out, Parts: func() []any { return []any{out.Info} }}
			if !args.Include {
				return a, nil
			}
			runes := []rune(content.all)
			end := min(len(runes), tool.ValueOr(args.Max, defaultContent))
			revision := ""
			if file.Type == TypeNotebook {
				revision = target.Revision(content.rev)
			}
			part := func() {
				out.Content, out.contentInfo = new(string(runes[:end])), &contentInfo{len(runes), end < len(runes), revision}
			}
			part()
			a.Parts = func() []any {
				return []any{besideContent{out.Info, a.People}, out.contentInfo, tool.Verbatim(*out.Content)}
			}
			if err := a.TrimTo(end, func(n int) {
				end = n
				part()
			}); err != nil {
				return nil, err
			}
			content.shown(0, len(*out.Content))
			return a, nil
		}),
	}
}

// formatLimit is the size of the largest file, in bytes, that is read to determine whether it is text.
const formatLimit = 1 << 20

// properties returns the server's record of a file, with its format, and its content if wanted.
func properties(ctx context.Context, d *deps.Deps, path jupyter.Path, content bool) (jupyter.Content, asText, error) {
	srv := d.Manager.Servers().Documents
	file, err := srv.Contents.Get(ctx, path, jupyter.ContentsOptions{})
	if err != nil {
		return file, asText{}, err
	}
	switch {
	case file.Type != "file":
		file.Format = "json"
	case content || file.Size != nil && *file.Size <= formatLimit:
		full, err := srv.Contents.Get(ctx, path, jupyter.ContentsOptions{Content: true, Type: "file"})
		if err != nil {
			return file, asText{}, err
		}
		file = full
	case strings.HasPrefix(file.MimeType, "text/"):
		file.Format = "text"
	default:
		file.Format = "base64"
	}
	if file.MimeType == "" {
		byFormat := map[string]string{"json": "application/json", "text": "text/plain"}
		file.MimeType = cmp.Or(byFormat[file.Format], "application/octet-stream")
	}
	if !content {
		return file, asText{}, nil
	}
	if file.Type == "directory" {
		return file, asText{}, fmt.Errorf("path %s is a folder, which has no content"+textfmt.Hint(": list_documents lists its entries"), textfmt.Quoted(file.Path.String()))
	}
	now, err := currentContent(ctx, d, file)
	return file, now, err
}

// currentContent returns the content of a file's room, or of the file on disk if it is not open or cannot have a room.
func currentContent(ctx context.Context, d *deps.Deps, file jupyter.Content) (asText, error) {
	if file.Format != "base64" {
		if apart := d.Files.Unjoined(ctx, file.Path, file.Type); apart != nil {
			return asTextOf(ctx, d, apart)
		}
		doc, err := openFile(ctx, d, file.Type, file.Path)
		switch {
		case err == nil:
			defer doc.Release()
			return asTextOf(ctx, d, doc)
		case !errors.Is(err, session.ErrNotText):
			return asText{}, err
		}
	}
	r := asText{shown: func(int, int) {}} // it cannot be edited
	if err := json.Unmarshal(file.Content, &r.all); err != nil {
		return r, tool.Fault{Err: fmt.Errorf("read the content of %s: %w", textfmt.Quoted(file.Path.String()), err)}
	}
	return r, nil
}
