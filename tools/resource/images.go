package resource

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/tools/render"
)

// addImages makes images resources: each can be read at its address, and the images of a client's own sessions are listed,
// latest first. An image that is too large for an answer is read as a smaller image with the address of the original.
func addImages(s *server.MCPServer, d *Provider) {
	add := func(uri, name, about string, read func(ctx context.Context, e images.Entry, img images.Image) (mcp.BlobResourceContents, error)) {
		s.AddResourceTemplate(mcp.NewResourceTemplate(uri, name, mcp.WithTemplateDescription(about)),
			func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				e, img, err := d.FindImage(ctx, strings.TrimSuffix(req.Params.URI, images.FullSuffix))
				if err != nil {
					return nil, fmt.Errorf("%w: %w", server.ErrResourceNotFound, err)
				}
				c, err := read(ctx, e, img)
				return []mcp.ResourceContents{c}, err
			})
	}
	add("jupyter://images/{image_id}", "image-by-id", "An image of one of your sessions, at the short address in text answers.", d.readImage)
	const uri = "jupyter://sessions/{session_id}/images/{image_id}.{ext}"
	add(uri, "image", "An image in a cell's output: SVG without scripts and external references, and scaled down if too large for an answer. Tool answers contain the address.", d.readImage)
	add(uri+images.FullSuffix, "full-image", "The original of an image that is too large for an answer.", func(_ context.Context, e images.Entry, img images.Image) (mcp.BlobResourceContents, error) {
		return blobOf(e.URI()+images.FullSuffix, img.MIME, img.Data), nil
	})
}

// readImage returns an image in a size that fits in an answer.
func (d *Provider) readImage(ctx context.Context, e images.Entry, img images.Image) (mcp.BlobResourceContents, error) {
	p, err := d.Images.Readable(ctx, e, img)
	if err != nil {
		return mcp.BlobResourceContents{}, err
	}
	c := blobOf(e.URI(), p.MIME, p.Data)
	if !render.ReadWhole(e) {
		c.Meta = map[string]any{
			"full": e.URI() + images.FullSuffix, "fullBytes": len(img.Data), "fullMimeType": img.MIME, "fullWidth": p.OwnWidth, "fullHeight": p.OwnHeight, "width": p.Width, "height": p.Height,
		}
	}
	return c, nil
}

func blobOf(uri, mime string, data []byte) mcp.BlobResourceContents {
	return mcp.BlobResourceContents{URI: uri, MIMEType: mime, Blob: base64.StdEncoding.EncodeToString(data)}
}

// listImages lists the images of the sessions whose images the client may see.
func (d *Provider) listImages(ctx context.Context, after uint64, most int) (out []mcp.Resource, next uint64) {
	list, next := d.Images.Store.List(d.ImageSessions(ctx), after, most)
	return lo.Map(list, func(e images.Entry, _ int) mcp.Resource { return imageResource(e) }), next
}

func imageResource(e images.Entry) mcp.Resource {
	size := int64(e.Bytes)
	_, file, _ := strings.Cut(e.URI(), "/images/")
	title := "Code " + render.CellNumber(e)
	if !e.Path.IsRoot() {
		title = "Cell " + render.CellNumber(e) + " of " + e.Path.Name()
	}
	r := mcp.Resource{URI: e.URI(), Name: file, Title: title, Description: render.ImageDescription(e)}
	if render.ReadWhole(e) { // otherwise type and size are those of a smaller image, made when it is read
		r.MIMEType, r.Size = e.MIME, &size
	}
	return r
}
