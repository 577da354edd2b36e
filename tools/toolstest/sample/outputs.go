package sample

import (
	"bytes"
	"encoding/base64"
	"fmt"
	stdimage "image"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// NoisePNG is a PNG that compresses badly, in base64.
func NoisePNG(t testing.TB, w, h int) string {
	t.Helper()
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32()) | byte(i%4/3*255)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// CellsOf makes code cells with the given sources and the ids c0, c1, ….
func CellsOf(sources ...string) []ydoc.Cell {
	var out []ydoc.Cell
	for i, s := range sources {
		out = append(out, ydoc.Cell{ID: fmt.Sprintf("c%d", i), Type: "code", Source: s, Metadata: map[string]any{}})
	}
	return out
}

// Stream makes an output of text on stdout.
func Stream(text string) ydoc.Output {
	return ydoc.Output{"output_type": "stream", "name": "stdout", "text": text}
}

// Display makes a display output with data by MIME type.
func Display(data map[string]any) ydoc.Output {
	return ydoc.Output{"output_type": "display_data", "data": data, "metadata": map[string]any{}}
}

// AsJSON returns v as compact JSON.
func AsJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := tool.Compact(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
