package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/images"
)

const (
	// maxFile is how large a file that is handed over whole may be, in bytes: as base64 it has to fit in an answer.
	maxFile = 640_000
	// maxFileText is up to how many characters a text comes along with file_get.
	maxFileText = 10_000
)

const octets = "application/octet-stream"

type fileGetArgs struct {
	fileArgs
	Data bool `json:"include_data"`
}

type fileGetResult struct {
	Path         string  `json:"path"`
	Name         string  `json:"name"`
	MIME         string  `json:"mime_type"`
	Size         *int64  `json:"size"`
	LastModified string  `json:"last_modified"`
	Delivery     string  `json:"delivery"`
	URI          string  `json:"resource_uri,omitempty"`
	URL          string  `json:"url"`
	Text         *string `json:"text,omitempty"`
	Width        int     `json:"width,omitempty"`
	Height       int     `json:"height,omitempty"`
	Message      string  `json:"message,omitempty"`
}

// What file_get has handed over.
const (
	deliveredImage = "image"
	deliveredText  = "text"
	deliveredBlob  = "blob"
	deliveredLink  = "link"
	deliveredNone  = "none"
)

// fileGet makes file_get.
func fileGet(d *deps) tool {
	return tool{
		name:    "file_get",
		title:   "Get a file",
		toolset: toolsetCells,
		description: "Gets a file that an analysis has made, as it is on disk, with its MIME type and size: an image as a picture beside the JSON, a short text as text, anything else as a link that resources/read reads. " +
			"With include_data a file that is neither comes whole, as an embedded resource in base64. Costs an image, or the text, or with include_data about 1.4 characters a byte. " +
			"Files above " + kilobytes(maxFile) + " are not handed over, images excepted: it says how to get at them.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			sessionProperty(),
			filePathProperty("File"),
			optional("include_data", boolean("Whether a file that is neither image nor short text is embedded in the answer, in place of a link.").def(false)),
		),
		output: object("",
			required("path", text("The file, without a leading slash.")),
			required("name", text("")),
			required("mime_type", text("")),
			required("size", integer("Bytes.").orNull()),
			required("last_modified", text("ISO 8601 time.")),
			required("delivery", oneOf("How the file is handed over: as a picture beside the JSON, as text, as an embedded resource, as a link alone, or not at all.",
				deliveredImage, deliveredText, deliveredBlob, deliveredLink, deliveredNone)),
			optional("resource_uri", text("Where resources/read has the whole file.")),
			required("url", text("Address at which a person opens it.")),
			optional("text", text("The whole text of a short text file.")),
			optional("width", integer("Of an image, in pixels.")),
			optional("height", integer("")),
			optional("message", text("How else to get at it.")),
		),
		handle: typed(func(ctx context.Context, args fileGetArgs) (*answer, error) {
			c, err := d.fileNotFolder(ctx, args.ID, args.Path)
			if err != nil {
				return nil, err
			}
			f := &gottenFile{fileGetResult: fileGetResult{
				Path: c.Path, Name: c.Name, MIME: cmp.Or(c.MimeType, octets), Size: c.Size, LastModified: stamp(c.LastModified),
				Delivery: deliveredNone, URL: pageURL(d.manager.Server().BaseURL(), c.Type, c.Path),
			}}
			if f.within(maxFile) || f.within(images.MaxBytes) && slices.Contains(images.Types(), f.MIME) {
				if f.data, f.MIME, err = d.fileData(ctx, c.Path); err != nil {
					return nil, err
				}
				n := int64(len(f.data)) // it may have grown
				f.Size = &n
			}
			a := &answer{}
			if f.within(maxFile) {
				f.URI = fileURI(args.ID, c.Path)
				f.Delivery = deliveredLink
			}
			switch {
			case f.data != nil && strings.HasPrefix(f.MIME, "image/") && f.show(ctx, d, a):
			case f.URI == "":
				f.Message = sentences(f.Message, fmt.Sprintf("the file is larger than the %s that are handed over: execute_code can read parts of it, or write a smaller one, and a person opens it at url", kilobytes(maxFile)))
			case f.text():
			case args.Data:
				f.Delivery = deliveredBlob
				a.resources = append(a.resources, mcp.NewEmbeddedResource(f.contents()))
			}
			if f.Delivery != deliveredBlob && f.URI != "" {
				link := mcp.NewResourceLink(f.URI, f.Name, "", f.MIME)
				link.Size = f.Size
				a.resources = append(a.resources, link)
			}
			a.body = f.fileGetResult
			return a, nil
		}),
	}
}

// A gottenFile is what file_get says of a file, and what is in it.
type gottenFile struct {
	fileGetResult
	data []byte // nil where it was not read
}

// within tells whether the file has at most so many bytes.
func (f *gottenFile) within(most int64) bool { return f.Size != nil && *f.Size <= most }

// show shows the picture of an image, and tells whether it can be shown.
func (f *gottenFile) show(ctx context.Context, d *deps, a *answer) bool {
	img, err := imageFile(f.MIME, f.data)
	var p images.Picture
	if err == nil {
		p, err = images.Fit(ctx, img, images.Limits{Bytes: min(d.gallery.each, maxFile)})
	}
	if err != nil {
		f.Message = "it cannot be shown as an image: " + err.Error()
		return false
	}
	f.MIME, f.Width, f.Height = img.MIME, p.OwnWidth, p.OwnHeight
	f.Delivery = deliveredImage
	a.images = []image{{p.MIME, base64.StdEncoding.EncodeToString(p.Data)}}
	if p.Width != p.OwnWidth || p.MIME != img.MIME {
		f.Message = fmt.Sprintf("the picture is one of %d×%d pixels, %s", p.Width, p.Height, p.MIME)
	}
	return true
}

func imageFile(mime string, data []byte) (images.Image, error) {
	if mime == images.SVG {
		return images.Decode(mime, string(data))
	}
	return images.Sniff(data)
}

// text takes a short text into the answer, and tells whether it is a text.
func (f *gottenFile) text() bool {
	if !isTextData(f.data) {
		return false
	}
	if n := utf8.RuneCount(f.data); n > maxFileText {
		f.Message = sentences(f.Message, fmt.Sprintf("it is a text of %s: file_read reads it in parts", plural(n, "character")))
		return true
	}
	text := string(f.data)
	f.Text, f.Delivery = &text, deliveredText
	return true
}

// contents is the whole file as a resource.
func (f *gottenFile) contents() mcp.ResourceContents { return fileContents(f.URI, f.MIME, f.data) }

// isTextData tells whether bytes are text: UTF-8 without the null character, which no text has.
func isTextData(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

// fileData reads a whole file, as its bytes are, and tells what kind it is of.
func (d *deps) fileData(ctx context.Context, p string) (data []byte, mime string, err error) {
	c, err := d.manager.Server().Contents(ctx, p, jupyter.ContentsOptions{Content: true, Type: "file", Format: "base64"})
	if err != nil {
		return nil, "", err
	}
	var encoded string
	if err := json.Unmarshal(c.Content, &encoded); err != nil {
		return nil, "", fault{fmt.Errorf("read the content of %s: %w", quoted(p), err)}
	}
	// The server puts a line end behind each 76 characters, which the decoder passes over.
	if data, err = base64.StdEncoding.DecodeString(encoded); err != nil {
		return nil, "", fault{fmt.Errorf("decode the content of %s: %w", quoted(p), err)}
	}
	switch mime = cmp.Or(c.MimeType, octets); {
	case path.Ext(p) == notebookExt:
		mime = "application/x-ipynb+json"
	case mime != octets || len(data) == 0:
	case isTextData(data):
		mime = "text/plain"
	default:
		if img, err := images.Sniff(data); err == nil {
			mime = img.MIME
		}
	}
	return data, mime, nil
}
