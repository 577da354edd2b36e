package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/nbduet/nbduet/ydoc/pyjson"
)

// Content is a file or folder in the Contents API's model.
type Content struct {
	Name string `json:"name"`
	// Path is the server's own form of the path. Use it for sessions and rooms.
	Path Path `json:"path"`
	// Type is "notebook", "file" or "directory".
	Type string `json:"type"`
	// Format is "json", "text" or "base64"; empty without content.
	Format       string    `json:"format"`
	Created      time.Time `json:"created"`
	LastModified time.Time `json:"last_modified"`
	// Size is in bytes; nil for folders, and if the server does not know it.
	Size     *int64 `json:"size"`
	Writable bool   `json:"writable"`
	MimeType string `json:"mimetype"`
	// Content is the notebook as an object, the text or base64 as a string, or a folder's entries as a list; null if it
	// was not requested.
	Content json.RawMessage `json:"content"`
	// Hash is the hash of the file's bytes if it was requested and the server knows it.
	Hash string `json:"hash"`
}

// Entries decodes a folder's listing.
func (c Content) Entries() ([]Content, error) {
	if c.Type != "directory" {
		return nil, fmt.Errorf("list %q: it is a %s, not a directory", c.Path, c.Type)
	}
	var list []Content
	if len(c.Content) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(c.Content, &list); err != nil {
		return nil, fmt.Errorf("list %q: %w", c.Path, err)
	}
	return list, nil
}

// ContentsOptions select which parts of a file or folder to fetch.
type ContentsOptions struct {
	// Content requests the content as well as the properties.
	Content bool
	// Type requires "notebook", "file" or "directory"; the server refuses any other type (ErrBadRequest).
	Type string
	// Format is "json", "text" or "base64"; empty lets the server choose.
	Format string
	// Hash requests the hash of the file's bytes.
	Hash bool
}

// Contents reads and writes the files of a server, through its Contents API.
type Contents struct{ client *Client }

// Get reads a file or folder from disk, which lags behind an open room by a second or more. The error matches
// ErrNotFound, or ErrBadRequest for another type. Reading a notebook does not harm one that is being saved.
func (c Contents) Get(ctx context.Context, path Path, opt ContentsOptions) (Content, error) {
	if opt.Content && opt.Type == "notebook" {
		return c.notebook(ctx, path, opt)
	}
	return c.read(ctx, path, opt)
}

// read makes one request for contents.
func (c Contents) read(ctx context.Context, path Path, opt ContentsOptions) (Content, error) {
	q := url.Values{"content": {"0"}}
	if opt.Content {
		q.Set("content", "1")
	}
	if opt.Type != "" {
		q.Set("type", opt.Type)
	}
	if opt.Format != "" {
		q.Set("format", opt.Format)
	}
	if opt.Hash {
		q.Set("hash", "1")
	}
	return c.ask(ctx, "read contents of", path, call{query: q})
}

// NewContent is the file or folder for [Contents.Put] to write.
type NewContent struct {
	// Type is "notebook", "file" or "directory".
	Type string `json:"type"`
	// Format is "json" for notebooks, "text" or "base64" for files, empty for folders.
	Format string `json:"format,omitempty"`
	// Content is a notebook's object, as plain values or JSON, or a string; nil for folders.
	Content any `json:"content,omitempty"`
}

// Put writes a file or makes a folder, overwriting without confirmation. A file that is open in a room must be edited
// through the room: Put would discard the room's unsaved edits.
func (c Contents) Put(ctx context.Context, path Path, file NewContent) (Content, error) {
	file.Content = pyjson.Literals(file.Content)
	return c.ask(ctx, "write", path, call{method: http.MethodPut, body: file})
}

// Copy copies the file from into folder dir under a name that the server picks. It copies the version on disk.
func (c Contents) Copy(ctx context.Context, from, dir Path) (Content, error) {
	return c.ask(ctx, fmt.Sprintf("copy %q into", from), dir, call{
		method: http.MethodPost, body: map[string]Path{"copy_from": from},
	})
}

// Rename moves a file or folder to another path; it returns ErrConflict if a file exists there. Jupyter sessions keep
// the old path until [Sessions.Patch] changes it.
func (c Contents) Rename(ctx context.Context, from, to Path) (Content, error) {
	return c.ask(ctx, "rename", from, call{method: http.MethodPatch, body: map[string]Path{"path": to}})
}

// Delete deletes a file or folder. An open room of the file is not notified.
func (c Contents) Delete(ctx context.Context, path Path) error {
	return c.client.do(ctx, call{op: "delete", about: path.p, method: http.MethodDelete, path: contentsPath(path)}, nil)
}

// ask completes the call with the path's endpoint and decodes one content model.
func (c Contents) ask(ctx context.Context, op string, path Path, req call) (Content, error) {
	req.op, req.about, req.path = op, path.p, contentsPath(path)
	out, err := ask[Content](ctx, c.client, req)
	var e *Error
	if errors.As(err, &e) {
		e.Message = withoutRoot(e.Message, path.p)
	}
	return out, err
}

// withoutRoot returns a server's message without the folders above the server's root folder.
func withoutRoot(message, path string) string {
	for _, path := range []string{path, strings.ReplaceAll(path, "/", `\`)} {
		at := strings.Index(message, path)
		if path == "" || at <= 0 || strings.IndexByte(`/\`, message[at-1]) < 0 {
			continue
		}
		from := strings.LastIndexAny(message[:at], " \"'(<") + 1
		return message[:from] + withoutRoot(message[at:], path)
	}
	return message
}

func contentsPath(path Path) string {
	if path.IsRoot() {
		return "/api/contents"
	}
	return "/api/contents/" + path.Escaped()
}
