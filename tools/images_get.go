package tools

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/nbduet/nbduet/session/images"
)

type imageArgs struct {
	URI  string `json:"resource_uri"`
	Data *bool  `json:"include_data"`
}

type imageResult struct {
	MIME        string `json:"mime_type"`
	Data        string `json:"data,omitempty"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	URI         string `json:"resource_uri"`
	Description string `json:"description"`
	Message     string `json:"message,omitempty"`
}

// getImageResource makes get_image_resource.
func getImageResource(d *deps) tool {
	return tool{
		name:    "get_image_resource",
		title:   "Get an image",
		toolset: toolsetAnalysis,
		description: "Returns the image at an address that another tool named (jupyter://…): its data in base64, its size, and the picture beside the JSON. " +
			"Use it for an image that an answer did not show, or where the resource cannot be read. Costs the base64, about 1.4 characters a byte; with include_data false only the picture.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			required("resource_uri", text("As in an answer, such as \"jupyter://sessions/abc/images/0123456789.png\".").length(1, 2000)),
			optional("include_data", boolean("Whether data is in the result; the picture comes with it either way.").def(true)),
		),
		output: object("",
			required("mime_type", text("Of data: that of the image as it was put out, or of a smaller picture of it where that is too large for an answer.")),
			optional("data", text("Base64; absent where include_data is false.")),
			required("width", integer("Pixels.")),
			required("height", integer("Pixels.")),
			required("resource_uri", text("Where the image is to be had as it was put out, by resources/read.")),
			required("description", text("The cell, and the first line of its code.")),
			optional("message", text("What is different from the image as it was put out.")),
		),
		handle: typed(func(ctx context.Context, args imageArgs) (*answer, error) {
			e, img, err := d.findImage(ctx, args.URI)
			if err != nil {
				return nil, err
			}
			with := args.Data == nil || *args.Data
			most := imageRoom
			if with {
				most = (answerRoom - 8000) / 3 // the data twice, and the picture
			}
			most = most*3/4 - 3
			p, err := d.gallery.store.Show(ctx, e, img, images.Limits{Bytes: min(most, d.gallery.each)})
			if err != nil {
				return nil, fmt.Errorf("image %s cannot be shown: %w; resources/read has it as it was put out", e.URI(), err)
			}
			out := imageResult{MIME: img.MIME, Width: p.OwnWidth, Height: p.OwnHeight, URI: e.URI(), Description: imageDescription(e)}
			data := img.Data
			if len(data) > most {
				data = p.Data
				out.MIME, out.Width, out.Height = p.MIME, p.Width, p.Height
				out.Message = fmt.Sprintf("this is a picture of the image, which has %d×%d pixels and takes %s", p.OwnWidth, p.OwnHeight, kilobytes(e.Bytes))
			}
			if with {
				out.Data = base64.StdEncoding.EncodeToString(data)
			}
			return &answer{body: out, images: []image{{p.MIME, base64.StdEncoding.EncodeToString(p.Data)}}}, nil
		}),
	}
}
