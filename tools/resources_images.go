package tools

import (
	"context"
	"encoding/base64"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session/images"
)

// imagesListed is how many images a page of resources/list has.
const imagesListed = 100

// imageCursor begins the cursors of the pages that have images only.
const imageCursor = "images:"

// addImages makes images resources: each is read at its address, and those of a client's own session are listed behind
// all other resources, the latest first.
func addImages(s *server.MCPServer, hooks *server.Hooks, d *deps) {
	s.AddResourceTemplate(
		mcp.NewResourceTemplate("jupyter://sessions/{session_id}/images/{image_id}.{ext}", "image",
			mcp.WithTemplateDescription("An image that a cell has put out, as it was put out; SVG without scripts and outside references. Answers of tools name the addresses."),
		),
		func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			e, img, err := d.findImage(ctx, req.Params.URI)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", server.ErrResourceNotFound, err)
			}
			return []mcp.ResourceContents{mcp.BlobResourceContents{
				URI: e.URI(), MIMEType: img.MIME, Blob: base64.StdEncoding.EncodeToString(img.Data),
			}}, nil
		},
	)
	// The server's own list is fixed and the same for all clients, which images are not.
	hooks.AddAfterListResources(func(ctx context.Context, _ any, req *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
		after, mine := imagesAfter(req.Params.Cursor)
		if mine {
			res.Resources, res.NextCursor = []mcp.Resource{}, ""
		} else if res.NextCursor != "" {
			return // more of the others comes first
		}
		list, next := d.gallery.store.List(d.imageSessions(ctx), after, imagesListed)
		for _, e := range list {
			res.Resources = append(res.Resources, imageResource(e))
		}
		if next > 0 {
			res.NextCursor = mcp.Cursor(base64.StdEncoding.EncodeToString([]byte(imageCursor + strconv.FormatUint(next, 10))))
		}
	})
}

// imagesAfter reads a cursor of ours.
func imagesAfter(c mcp.Cursor) (after uint64, ours bool) {
	b, err := base64.StdEncoding.DecodeString(string(c))
	if err != nil {
		return 0, false // has been refused
	}
	number, ok := strings.CutPrefix(string(b), imageCursor)
	if !ok {
		return 0, false
	}
	after, err = strconv.ParseUint(number, 10, 64)
	return after, err == nil
}

func imageResource(e images.Entry) mcp.Resource {
	size := int64(e.Bytes)
	_, file, _ := strings.Cut(e.URI(), "/images/")
	title := "Code " + cellNumber(e)
	if e.Path != "" {
		title = "Cell " + cellNumber(e) + " of " + path.Base(e.Path)
	}
	return mcp.Resource{
		URI: e.URI(), Name: file, Title: title,
		Description: imageDescription(e), MIMEType: e.MIME, Size: &size,
	}
}

// imageDescription names the cell and the first line of its code.
func imageDescription(e images.Entry) string {
	out := "Cell " + cellNumber(e) + " of " + e.Path
	if e.Path == "" {
		out = "Code " + cellNumber(e)
	}
	if e.Line != "" {
		out += ": " + e.Line
	}
	return out
}

// cellNumber is a cell's execution count as JupyterLab shows it.
func cellNumber(e images.Entry) string {
	if e.Count == nil {
		return "[ ]"
	}
	return fmt.Sprintf("[%d]", *e.Count)
}
