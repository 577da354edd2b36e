package render_test

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

// An image is sent once to a client with a name. Clients without one may be several, so they are sent it each time.
func TestImagesAreSentOnce(t *testing.T) {
	outputs := render.ContentsOf([]ydoc.Output{{"output_type": "display_data", "data": map[string]any{"image/png": sample.NoisePNG(t, 2, 2)}}})
	words := tool.WithWords(t.Context())
	for name, want := range map[string]int{"": 2, "ada": 1} {
		ctx := words
		if name != "" {
			ctx = tool.WithClient(words, &tool.Client{Name: name})
		}
		store, sent := render.NewImageStore(nil, 0, 0), 0
		for range 2 {
			set := store.NewSet(ctx, 1)
			outputs.Show(render.LimitsOf(100), set)
			for _, img := range set.Images {
				img.Sent()
				sent++
			}
		}
		test.Eq(t, want, sent, test.Sprint(name))
	}
}
