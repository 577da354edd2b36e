package analysis

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

type imageArgs struct {
	URI  string `json:"resource_uri"`
	Data *bool  `json:"include_data"`
}

type ImageResult struct {
	MIME        string `json:"mime_type"`
	Data        string `json:"data,omitempty"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	URI         string `json:"resource_uri"`
	Description string `json:"description"`
	Message     string `json:"message,omitempty"`
}

// getImageResource makes get_image_resource.
func getImageResource(d *desk.Desk) tool.Tool {
	return tool.Tool{
		Name:    "get_image_resource",
		Title:   "Get an image",
		Toolset: tool.ToolsetAnalysis,
		Description: "Returns the image at an address that another tool named (jupyter://…): its data in base64, its size, and the picture beside the JSON. " +
			"Use it for an image that an answer did not show, or where the resource cannot be read. Costs the base64, about 1.4 characters a byte; with include_data false only the picture.",
		Marks: tool.Marks{ReadOnly: true, Idempotent: true},
		Input: tool.Arguments(
			tool.Required("resource_uri", tool.Text("As in an answer, such as \"jupyter://sessions/abc/images/0123456789.png\".").Length(1, 2000)),
			tool.Optional("include_data", tool.Boolean("Whether data is in the result; the picture comes with it either way.").Def(true)),
		),
		Output: tool.Object("",
			tool.Required("mime_type", tool.Text("Of data: that of the image as it was put out, or of a smaller picture of it where that is too large for an answer.")),
			tool.Optional("data", tool.Text("Base64; absent where include_data is false.")),
			tool.Required("width", tool.Integer("Pixels.")),
			tool.Required("height", tool.Integer("Pixels.")),
			tool.Required("resource_uri", tool.Text("Where the image is to be had as it was put out, by resources/read.")),
			tool.Required("description", tool.Text("The cell, and the first line of its code.")),
			tool.Optional("message", tool.Text("What is different from the image as it was put out.")),
		),
		Handle: tool.Typed(func(ctx context.Context, args imageArgs) (*tool.Answer, error) {
			e, img, err := d.FindImage(ctx, args.URI)
			if err != nil {
				return nil, err
			}
			with := args.Data == nil || *args.Data
			most := desk.ImageRoom
			if with {
				most = (tool.AnswerRoom - 8000) / 3 // the data twice, and the picture
			}
			most = most*3/4 - 3
			p, err := d.Gallery.Store.Show(ctx, e, img, images.Limits{Bytes: min(most, d.Gallery.Each)})
			if err != nil {
				return nil, fmt.Errorf("image %s cannot be shown: %w; resources/read has it as it was put out", e.URI(), err)
			}
			out := ImageResult{MIME: img.MIME, Width: p.OwnWidth, Height: p.OwnHeight, URI: e.URI(), Description: desk.ImageDescription(e)}
			data := img.Data
			if len(data) > most {
				data = p.Data
				out.MIME, out.Width, out.Height = p.MIME, p.Width, p.Height
				out.Message = fmt.Sprintf("this is a picture of the image, which has %d×%d pixels and takes %s", p.OwnWidth, p.OwnHeight, tool.Kilobytes(e.Bytes))
			}
			if with {
				out.Data = base64.StdEncoding.EncodeToString(data)
			}
			return &tool.Answer{Body: out, Images: []tool.Image{{MIME: p.MIME, Data: base64.StdEncoding.EncodeToString(p.Data)}}}, nil
		}),
	}
}
