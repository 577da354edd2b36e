package tools

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	stdimage "image"

	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/ydoc"
)

// noisePNG is a PNG that compresses badly, in base64.
func noisePNG(t testing.TB, w, h int) string {
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

func testTray(t *testing.T, most int) *tray {
	t.Helper()
	g, err := newGallery(nil, most, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g.tray(t.Context(), most)
}

func TestImagesStandOnceBesideTheJSON(t *testing.T) {
	data := noisePNG(t, 40, 30)
	pictures := testTray(t, 2)
	pictures.from = images.Origin{Session: "me", CellID: "c"}
	plot := display(map[string]any{"text/plain": "<Figure>", "image/png": data[:76] + "\n" + data[76:] + "\n"})
	got := contentsOf([]ydoc.Output{plot, plot, plot}).show(generous, pictures)
	for i, want := range []string{"<image 1, 40×30, 3.7 kB, shown below: jupyter://sessions/me/images/", "<image 2, 40×30, 3.7 kB, shown below: ", "<image, 40×30, 3.7 kB, not shown because an answer shows 2: get_image_resource shows jupyter://"} {
		if ref := got.outputs[i]["data"].(map[string]any)["image/png"].(string); !strings.HasPrefix(ref, want) {
			t.Errorf("image %d is %q", i, ref)
		}
	}
	if len(pictures.images) != 2 || pictures.images[0].data != data || pictures.images[0].mime != "image/png" {
		t.Errorf("%d images, or not as they were", len(pictures.images))
	}
	if got.truncated() {
		t.Error("images count as cut text")
	}
	if strings.Contains(asJSON(t, got.outputs), data[:40]) {
		t.Error("the image's data stands in the JSON")
	}
}

func TestImagesThatCannotBeShown(t *testing.T) {
	pictures := testTray(t, 9)
	whole := noisePNG(t, 40, 30)
	for data, want := range map[string]string{
		"":                      "empty",
		"§§":                    "not valid base64",
		"AAAA":                  "not a PNG",
		whole[:len(whole)/8*4]:  "broken",
		strings.Repeat("AB", 9): "<image, not shown: ",
	} {
		if ref := pictures.put(map[string]any{"image/png": data})["image/png"]; !strings.Contains(ref, want) || !strings.HasPrefix(ref, "<image, ") {
			t.Errorf("put(%.10q…) = %q", data, ref)
		}
	}
	if len(pictures.images) != 0 {
		t.Errorf("%d images", len(pictures.images))
	}
}

// Of several forms of one image one is shown; plotly's own is no image.
func TestFormsOfAnImage(t *testing.T) {
	pictures := testTray(t, 9)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>x()</script></svg>`
	refs := pictures.put(map[string]any{
		"image/svg+xml": []any{svg[:20], svg[20:]}, "image/png": noisePNG(t, 4, 4), plotly: map[string]any{"data": []any{}},
	})
	if !strings.HasPrefix(refs["image/png"], "<image 1, 4×4") || !strings.HasPrefix(refs["image/svg+xml"], "<the same image, image/svg+xml") ||
		!strings.Contains(refs[plotly], "the image is a picture") || len(pictures.images) != 1 {
		t.Errorf("%v", refs)
	}
	refs = pictures.put(map[string]any{plotly: map[string]any{"data": []any{}}})
	if !strings.Contains(refs[plotly], "no picture of it") || !strings.Contains(refs[plotly], "renderer=\"png\"") {
		t.Errorf("%v", refs)
	}
	// It does not stand in the answer as JSON either.
	out := contentsOf([]ydoc.Output{display(map[string]any{plotly: map[string]any{"data": strings.Repeat("x", 1000)}, "text/plain": "Figure"})})
	if got := asJSON(t, out.show(generous, pictures).outputs); strings.Contains(got, "xxxx") || out.size != len("Figure") {
		t.Errorf("%d characters: %s", out.size, got)
	}
}

// Images share the room that there is: one may take all of it, four a quarter each.
func TestImagesShareTheRoom(t *testing.T) {
	for n, least := range map[int]int{1: 300_000, 4: 50_000} {
		pictures := testTray(t, 4)
		pictures.expected = n
		total := 0
		for i := range n {
			if ref := pictures.put(map[string]any{"image/png": noisePNG(t, 600+i, 600)})["image/png"]; !strings.HasPrefix(ref, "<image ") {
				t.Error(ref)
			}
			total += len(pictures.images[i].data)
			if len(pictures.images[i].data) < least {
				t.Errorf("image %d of %d takes %d bytes", i+1, n, len(pictures.images[i].data))
			}
		}
		if total > imageRoom {
			t.Errorf("%d images take %d bytes", n, total)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for source, want := range map[string]string{
		"":                              "",
		"\n\n  plt.plot(x)\nplt.show()": "plt.plot(x)",
		"# a plot\nplt.plot(x)":         "plt.plot(x)",
		"%matplotlib inline\nplot()":    "plot()",
		"# only a comment":              "# only a comment",
		strings.Repeat("é", 300):        strings.Repeat("é", maxLine-1) + "…",
	} {
		if got := firstLine(source); got != want {
			t.Errorf("firstLine(%.20q) = %.20q", source, got)
		}
	}
}
