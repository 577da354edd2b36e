package analysis

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

const (
	// MaxFile is the size of the largest file that is returned whole, in bytes: as base64 it must fit in an answer.
	MaxFile = 640_000
	// maxFileText is the length of the longest text that file_get returns, in characters.
	maxFileText = 10_000
)

type fileGetArgs struct {
	InSession
	Path string `json:"path" jsonschema:"File, relative to the server's root folder, such as \"work/result.csv\"; a leading slash is allowed." validate:"min=1,max=path"`
	Data bool   `json:"include_data,omitempty" jsonschema:"Embed a file that is neither an image nor short text, instead of returning a link." default:"false"`
}

// A FileGetResult is the answer of file_get.
type FileGetResult struct {
	Path         string  `json:"path" jsonschema:"The file, without a leading slash."`
	Name         string  `json:"name"`
	MIME         string  `json:"mime_type"`
	Size         *int64  `json:"size" jsonschema:"Bytes."`
	LastModified string  `json:"last_modified" jsonschema:"ISO 8601 time."`
	Delivery     string  `json:"delivery" jsonschema:"How the file is returned: as an image beside the JSON, as text, as an embedded resource, as a link alone, or not at all." validate:"oneof=image text blob link none"`
	URI          string  `json:"resource_uri,omitempty" jsonschema:"Address of the whole file, for resources/read."`
	URL          string  `json:"url" jsonschema:"URL for people to open."`
	Text         *string `json:"text,omitempty" jsonschema:"The whole text of a short text file."`
	Width        int     `json:"width,omitempty" jsonschema:"Of an image, in pixels."`
	Height       int     `json:"height,omitempty"`
	Message      string  `json:"message,omitempty" jsonschema:"How else to get it."`
}

// How file_get returns a file.
const (
	DeliveredImage = "image"
	DeliveredText  = "text"
	DeliveredBlob  = "blob"
	DeliveredLink  = "link"
	DeliveredNone  = "none"
)

// fileGet makes file_get.
func fileGet(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "file_get",
		Title:       "Get a file",
		Description: "Returns a file that an analysis has written: an image as an image, short text as text, anything else as a link for resources/read or, with include_data, as base64. Use it for files that are not text. Files above " + textfmt.Kilobytes(MaxFile) + " are not returned, except images.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[FileGetResult](nil),
		Call: tool.Typed(func(ctx context.Context, args fileGetArgs) (*tool.Answer, error) {
			c, err := FileNotFolder(ctx, d, args.ID, args.Path)
			if err != nil {
				return nil, err
			}
			f := &gottenFile{FileGetResult: FileGetResult{
				Path: c.Path.String(), Name: c.Name, MIME: cmp.Or(c.MimeType, Octets), Size: c.Size, LastModified: tool.Stamp(c.LastModified),
				Delivery: DeliveredNone, URL: target.PageURL(d.Manager.Servers().Documents.BaseURL(), c.Path),
			}}
			if f.within(MaxFile) || f.within(images.MaxBytes) && slices.Contains(images.Types(), f.MIME) {
				if f.data, f.MIME, err = FileData(ctx, d, c.Path); err != nil {
					return nil, err
				}
				f.Size = new(int64(len(f.data))) // it may have grown
			}
			a := &tool.Answer{}
			if f.within(MaxFile) {
				f.URI = FileURI(args.ID, c.Path)
				f.Delivery = DeliveredLink
			}
			switch {
			case f.data != nil && strings.HasPrefix(f.MIME, "image/") && f.show(ctx, d, a):
			case f.URI == "":
				f.Message = tool.Sentences(f.Message, fmt.Sprintf("the file exceeds the limit of %s; people can open it at url"+textfmt.Hint(", and execute_code can read parts of it or write a smaller one"), textfmt.Kilobytes(MaxFile)))
			case f.text():
			case args.Data:
				f.Delivery = DeliveredBlob
				a.Resources = append(a.Resources, mcp.NewEmbeddedResource(f.contents()))
			}
			if f.Delivery != DeliveredBlob && f.URI != "" {
				link := mcp.NewResourceLink(f.URI, f.Name, "", f.MIME)
				link.Size = f.Size
				a.Resources = append(a.Resources, link)
			}
			a.Body = f.FileGetResult
			return a, nil
		}),
	}
}

// A gottenFile is the result of file_get for a file, and the file's content.
type gottenFile struct {
	FileGetResult
	data []byte // nil if it was not read
}

// within reports whether the file does not exceed most bytes.
func (f *gottenFile) within(most int64) bool { return f.Size != nil && *f.Size <= most }

// show adds an image to the answer, and reports whether that was possible.
func (f *gottenFile) show(ctx context.Context, d *deps.Deps, a *tool.Answer) bool {
	img, err := imageFile(f.MIME, f.data)
	var p images.Picture
	if err == nil {
		p, err = images.Fit(ctx, img, images.Limits{Bytes: min(d.Images.Each, MaxFile)})
	}
	if err != nil {
		f.Message = "cannot be shown as an image: " + err.Error()
		return false
	}
	f.MIME, f.Width, f.Height = img.MIME, p.OwnWidth, p.OwnHeight
	f.Delivery = DeliveredImage
	a.Images = []tool.Image{{MIME: p.MIME, Data: base64.StdEncoding.EncodeToString(p.Data)}}
	if p.Width != p.OwnWidth || p.MIME != img.MIME {
		f.Message = fmt.Sprintf("the image shown has %d×%d pixels, %s", p.Width, p.Height, p.MIME)
	}
	return true
}

func imageFile(mime string, data []byte) (images.Image, error) {
	if mime == images.SVG {
		return images.Decode(mime, string(data))
	}
	return images.Sniff(data)
}

// text adds a short text to the answer, and reports whether the file is text.
func (f *gottenFile) text() bool {
	if !isTextData(f.data) {
		return false
	}
	if n := utf8.RuneCount(f.data); n > maxFileText {
		f.Message = tool.Sentences(f.Message, fmt.Sprintf("the text has %s"+textfmt.Hint(": file_read reads it in parts"), textfmt.Plural(n, "character")))
		return true
	}
	f.Text, f.Delivery = new(string(f.data)), DeliveredText
	return true
}

// contents returns the whole file as a resource.
func (f *gottenFile) contents() mcp.ResourceContents { return FileContents(f.URI, f.MIME, f.data) }
