package analysis

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// Octets is the MIME type of a file of unknown type.
const Octets = "application/octet-stream"

// isTextData reports whether bytes are text: UTF-8 without the null character, which text does not contain.
func isTextData(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// FileData reads the bytes of a whole file, and determines its MIME type.
func FileData(ctx context.Context, d *deps.Deps, p jupyter.Path) (data []byte, mime string, err error) {
	c, err := d.Manager.Servers().Documents.Contents.Get(ctx, p, jupyter.ContentsOptions{Content: true, Type: "file", Format: "base64"})
	if err != nil {
		return nil, "", err
	}
	var encoded string
	if err := json.Unmarshal(c.Content, &encoded); err != nil {
		return nil, "", tool.Fault{Err: fmt.Errorf("read the content of %s: %w", textfmt.Quoted(p.String()), err)}
	}
	// The server puts a line end after each 76 characters; the decoder skips it.
	if data, err = base64.StdEncoding.DecodeString(encoded); err != nil {
		return nil, "", tool.Fault{Err: fmt.Errorf("decode the content of %s: %w", textfmt.Quoted(p.String()), err)}
	}
	switch mime = cmp.Or(c.MimeType, Octets); {
	case p.Ext() == NotebookExt:
		mime = "application/x-ipynb+json"
	case mime != Octets || len(data) == 0:
	case isTextData(data):
		mime = "text/plain"
	default:
		if img, err := images.Sniff(data); err == nil {
			mime = img.MIME
		}
	}
	return data, mime, nil
}

// FileScheme begins the address of a file, and of an image.
const FileScheme = "jupyter://sessions/"

// FileURI returns the address of a file for a session.
func FileURI(session string, path jupyter.Path) string {
	return FileScheme + session + "/files/" + path.Escaped()
}

// FileContents returns a whole file as a resource: as text if it is text and fits in an answer as text, else as base64.
func FileContents(uri, mime string, data []byte) mcp.ResourceContents {
	if isTextData(data) {
		if written, err := tool.Compact(string(data)); err == nil && len(written) <= tool.AnswerBudget-100_000 {
			return mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: string(data)}
		}
	}
	return mcp.BlobResourceContents{URI: uri, MIMEType: mime, Blob: base64.StdEncoding.EncodeToString(data)}
}
