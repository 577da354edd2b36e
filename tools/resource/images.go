package resource

import (
	"context"
	"encoding/base64"
	"fmt"
	"path"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/tools/desk"
)

// addImages makes images resources: each can be read at its address, and those of a client's own sessions are listed,
// latest first.
func addImages(s *server.MCPServer, d *Provider) {
	s.AddResourceTemplate(
		mcp.NewResourceTemplate("jupyter://sessions/{session_id}/images/{image_id}.{ext}", "image",
			mcp.WithTemplateDescription("The original image of a cell's output; SVG without scripts and outside references. Answers of tools name the addresses."),
		),
		func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			e, img, err := d.FindImage(ctx, req.Params.URI)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", server.ErrResourceNotFound, err)
			}
			return []mcp.ResourceContents{mcp.BlobResourceContents{
				URI: e.URI(), MIMEType: img.MIME, Blob: base64.StdEncoding.EncodeToString(img.Data),
			}}, nil
		},
	)
}

// listImages lists the images of the sessions whose images the client may see.
func (d *Provider) listImages(ctx context.Context, after uint64, most int) (out []mcp.Resource, next uint64) {
	list, next := d.Images.Store.List(d.ImageSessions(ctx), after, most)
	for _, e := range list {
		out = append(out, imageResource(e))
	}
	return out, next
}

func imageResource(e images.Entry) mcp.Resource {
	size := int64(e.Bytes)
	_, file, _ := strings.Cut(e.URI(), "/images/")
	title := "Code " + desk.CellNumber(e)
	if e.Path != "" {
		title = "Cell " + desk.CellNumber(e) + " of " + path.Base(e.Path)
	}
	return mcp.Resource{
		URI: e.URI(), Name: file, Title: title,
		Description: desk.ImageDescription(e), MIMEType: e.MIME, Size: &size,
	}
}
