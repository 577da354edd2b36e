package images

import (
	"os"
	"testing"
)

// Draw a plot in SVG; the first drawing compiles the rasteriser.
func BenchmarkDrawSVG(b *testing.B) {
	svg, err := os.ReadFile("testdata/matplotlib.svg")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := drawSVG(b.Context(), svg, MaxShown); err != nil {
			b.Fatal(err)
		}
	}
}
