package toolstest

import (
	"bytes"
	"encoding/base64"
	stdimage "image"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
)

// ShownImages decodes the images of an answer, as a client would, and checks their bounds.
func ShownImages(t *testing.T, res *mcp.CallToolResult) (out []stdimage.Image) {
	t.Helper()
	for _, img := range ImagesOf(res) {
		b, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil {
			t.Fatal(err)
		}
		got, format, err := stdimage.Decode(bytes.NewReader(b))
		if err != nil || "image/"+format != img.MIMEType {
			t.Fatalf("%s: %v, %s", img.MIMEType, err, format)
		}
		if size := got.Bounds().Size(); max(size.X, size.Y) > images.MaxShown || len(b) > render.DefaultMaxImageBytes {
			t.Errorf("a picture of %v, %d bytes", size, len(b))
		}
		out = append(out, got)
	}
	return out
}

// References returns the texts that replace images of one MIME type in the outputs of a result.
func References(r notebook.ExecutionResult, mime string) (out []string) {
	for _, o := range r.Outputs {
		data, _ := o["data"].(map[string]any)
		if ref, ok := data[mime].(string); ok {
			out = append(out, ref)
		}
	}
	return out
}

// Address returns the address in a reference.
func Address(t *testing.T, reference string) string {
	t.Helper()
	i := strings.Index(reference, "jupyter://")
	if i < 0 {
		t.Fatalf("%q names no address", reference)
	}
	return strings.TrimSuffix(reference[i:], ">")
}

// Plotting is code that draws a plot.
const Plotting = `# a plot
import matplotlib.pyplot as plt
%matplotlib inline
`
