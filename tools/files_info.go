package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
)

type infoArgs struct {
	Path    string `json:"path"`
	Include bool   `json:"include_content"`
	Max     *int   `json:"max_content"`
}

type documentInfo struct {
	Name         string `json:"name"`
	Path         string `json:"path"`
	Type         string `json:"type"`
	Format       string `json:"format"`
	Created      string `json:"created"`
	LastModified string `json:"last_modified"`
	Size         *int64 `json:"size"`
	Writable     bool   `json:"writable"`
	MimeType     string `json:"mimetype"`
	URL          string `json:"url"`
}

type contentInfo struct {
	Length    int  `json:"content_length"`
	Truncated bool `json:"truncated"`
}

// An infoResult is all of it in one object, for hosts that read that.
type infoResult struct {
	documentInfo
	*contentInfo
	Content *string `json:"content,omitempty"`
}

// getDocumentInfo makes get_document_info.
func getDocumentInfo(d *deps) tool {
	return tool{
		name:    "get_document_info",
		title:   "Document properties",
		toolset: toolsetDocument,
		description: "Returns what the server knows of a file, notebook or folder: type, size, times, address. With include_content also its content, in two further texts: " +
			"of text and notebooks as it is in the shared document now, of other files as base64. " +
			"Use it to see what a file is before reading it; for editing, get_document_content is what positions refer to. Costs little without content.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			required("path", documentSchema("Document or folder")),
			optional("include_content", boolean("Whether to return the content too.").def(false)),
			maxContentProperty(),
		),
		output: object("",
			required("name", text("Name without the folder.")),
			required("path", text("The document, without a leading slash.")),
			required("type", text("\"file\", \"directory\" or \"notebook\".")),
			required("format", text("\"text\", \"base64\" or \"json\".")),
			required("created", text("ISO 8601 time.")),
			required("last_modified", text("ISO 8601 time at which the file on disk was last written.")),
			required("size", integer("Bytes on disk; null for folders.").orNull()),
			required("writable", boolean("Whether the server may write it.")),
			required("mimetype", text("")),
			required("url", text("Address at which a person opens it.")),
			optional("content_length", integer("Length of the whole content, "+positionUnit+".")),
			optional("truncated", boolean("Whether there is more content than returned.")),
			optional("content", text("The content, which as text is a message of its own.")),
		),
		handle: typed(func(ctx context.Context, args infoArgs) (*answer, error) {
			clean, err := documentArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			file, content, err := d.properties(ctx, clean, args.Include)
			if err != nil {
				return nil, missing(err, clean)
			}
			out := infoResult{documentInfo: documentInfo{
				Name: file.Name, Path: file.Path, Type: file.Type, Format: file.Format, Created: stamp(file.Created), LastModified: stamp(file.LastModified),
				Size: file.Size, Writable: file.Writable, MimeType: file.MimeType, URL: pageURL(d.manager.Server().BaseURL(), file.Type, file.Path),
			}}
			a := &answer{body: &out, parts: func() []any { return []any{out.documentInfo} }}
			if !args.Include {
				return a, nil
			}
			runes := []rune(content)
			end := min(len(runes), limitOf(args.Max))
			part := func() {
				shown := string(runes[:end])
				out.Content, out.contentInfo = &shown, &contentInfo{len(runes), end < len(runes)}
			}
			part()
			a.parts = func() []any { return []any{out.documentInfo, out.contentInfo, verbatim(*out.Content)} }
			return a, a.trim(func() bool {
				if end == 0 {
					return false
				}
				end = end * 3 / 4
				part()
				return true
			})
		}),
	}
}

// formatLimit is the size in bytes up to which a file is read to find out whether it is text.
const formatLimit = 1 << 20

// properties returns what the server knows of a file, with its format, and its content where that is wanted.
func (d *deps) properties(ctx context.Context, path string, content bool) (jupyter.Content, string, error) {
	srv := d.manager.Server()
	file, err := srv.Contents(ctx, path, jupyter.ContentsOptions{})
	if err != nil {
		return file, "", err
	}
	switch {
	case file.Type != "file":
		file.Format = "json"
	case content || file.Size != nil && *file.Size <= formatLimit:
		full, err := srv.Contents(ctx, path, jupyter.ContentsOptions{Content: true, Type: "file"})
		if err != nil {
			return file, "", err
		}
		file = full
	case strings.HasPrefix(file.MimeType, "text/"):
		file.Format = "text"
	default:
		file.Format = "base64"
	}
	if file.MimeType == "" {
		file.MimeType = map[string]string{"json": "application/json", "text": "text/plain"}[file.Format]
		if file.MimeType == "" {
			file.MimeType = "application/octet-stream"
		}
	}
	if !content {
		return file, "", nil
	}
	if file.Type == "directory" {
		return file, "", fmt.Errorf("path %s is a folder, which has no content: list_documents lists what is in it", quoted(file.Path))
	}
	now, err := d.currentContent(ctx, file)
	return file, now, err
}

// currentContent is what is in a file's room, or, of a file that has none, what is on disk.
func (d *deps) currentContent(ctx context.Context, file jupyter.Content) (string, error) {
	if file.Format != "base64" {
		doc, err := d.openDocument(ctx, file.Path)
		switch {
		case err == nil:
			defer doc.Release()
			all, _, err := d.show(ctx, doc)
			return all, err
		case !errors.Is(err, session.ErrNotText):
			return "", err
		}
	}
	var s string
	if err := json.Unmarshal(file.Content, &s); err != nil {
		return "", fault{fmt.Errorf("read the content of %s: %w", quoted(file.Path), err)}
	}
	return s, nil
}
