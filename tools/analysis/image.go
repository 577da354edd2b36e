package analysis

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
)

type imageArgs struct {
	URI  string `json:"resource_uri" jsonschema:"Address from an answer, such as \"jupyter://sessions/abc/images/0123456789.png\"." validate:"min=1,max=2000"`
	Data *bool  `json:"include_data,omitempty" jsonschema:"Whether to return data; the image is always shown." default:"true"`
}

// An ImageResult is the answer of get_image_resource.
type ImageResult struct {
	MIME        string `json:"mime_type" jsonschema:"Type of data: the original image, or a smaller version if the original is too large for an answer."`
	Data        string `json:"data,omitempty" jsonschema:"Base64; absent if include_data is false."`
	Width       int    `json:"width" jsonschema:"Pixels."`
	Height      int    `json:"height" jsonschema:"Pixels."`
	URI         string `json:"resource_uri" jsonschema:"Address of the original image, for resources/read."`
	Description string `json:"description" jsonschema:"The cell, and the first line of its code."`
	Message     string `json:"message,omitempty" jsonschema:"How data differs from the original image."`
}

// getImageResource makes get_image_resource.
func getImageResource(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "get_image_resource",
		Title:       "Get an image",
		Description: "Returns the image at an address from an answer (jupyter://…): its size, its data in base64, and the image. Use it for an image that an answer did not show. Base64 costs about 1.4 characters per byte; include_data false omits it.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.ResultOf[ImageResult](nil),
		Call: tool.Typed(func(ctx context.Context, args imageArgs) (*tool.Answer, error) {
			e, img, err := d.FindImage(ctx, args.URI)
			if err != nil {
				return nil, err
			}
			with := tool.ValueOr(args.Data, true)
			most := render.ImageBudget
			if with {
				most = (tool.AnswerBudget - 8000) / 3 // the data twice, and the picture
			}
			most = most*3/4 - 3
			p, err := d.Images.Store.Show(ctx, e, img, images.Limits{Bytes: min(most, d.Images.Each)})
			if err != nil {
				return nil, fmt.Errorf("image %s cannot be shown: %w; resources/read returns the original", e.URI(), err)
			}
			out := ImageResult{MIME: img.MIME, Width: p.OwnWidth, Height: p.OwnHeight, URI: e.URI(), Description: render.ImageDescription(e)}
			data := img.Data
			if len(data) > most {
				data = p.Data
				out.MIME, out.Width, out.Height = p.MIME, p.Width, p.Height
				out.Message = fmt.Sprintf("this is a smaller version; the original has %d×%d pixels and takes %s: resources/read at %s returns it", p.OwnWidth, p.OwnHeight, textfmt.Kilobytes(e.Bytes), e.URI()+images.FullSuffix)
			}
			if with {
				out.Data = base64.StdEncoding.EncodeToString(data)
			}
			return &tool.Answer{Body: out, Images: []tool.Image{{MIME: p.MIME, Data: base64.StdEncoding.EncodeToString(p.Data)}}}, nil
		}),
	}
}
