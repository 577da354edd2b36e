package render

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

func testTray(t *testing.T, most int) *ImageSet {
	t.Helper()
	g := NewImageStore(nil, most, 0)
	return g.NewSet(t.Context(), most)
}

func TestImagesStandOnceBesideTheJSON(t *testing.T) {
	data := sample.NoisePNG(t, 40, 30)
	pictures := testTray(t, 2)
	pictures.From = images.Origin{Session: "me", CellID: "c"}
	plot := sample.Display(map[string]any{"text/plain": "<Figure>", "image/png": data[:76] + "\n" + data[76:] + "\n"})
	got := ContentsOf([]ydoc.Output{plot, plot, plot}).Show(generous, pictures)
	for i, want := range []string{"<image 1, 40×30, 3.7 kB, shown below: jupyter://sessions/me/images/", "<image 2, 40×30, 3.7 kB, shown below: ", "<image, 40×30, 3.7 kB, not shown because an answer shows 2: get_image_resource shows jupyter://"} {
		ref := got.Outputs[i]["data"].(map[string]any)["image/png"].(string)
		if ref = textfmt.SettleHints(ref, func(clause string) string { return clause }); !strings.HasPrefix(ref, want) {
			t.Errorf("image %d is %q", i, ref)
		}
	}
	must.SliceLen(t, 2, pictures.Images)
	test.Eq(t, data, pictures.Images[0].Data)
	test.Eq(t, "image/png", pictures.Images[0].MIME)
	if got.Truncated() {
		t.Error("images count as cut text")
	}
	if strings.Contains(sample.AsJSON(t, got.Outputs), data[:40]) {
		t.Error("the image's data stands in the JSON")
	}
}

func TestImagesThatCannotBeShown(t *testing.T) {
	pictures := testTray(t, 9)
	whole := sample.NoisePNG(t, 40, 30)
	for data, want := range map[string]string{
		"":                      "empty",
		"§§":                    "not valid base64",
		"AAAA":                  "not a PNG",
		whole[:len(whole)/8*4]:  "broken",
		strings.Repeat("AB", 9): "<image, not shown: ",
	} {
		ref := pictures.put(map[string]any{"image/png": data})["image/png"]
		test.StrContains(t, ref, want, test.Sprint(data))
		test.StrHasPrefix(t, "<image, ", ref, test.Sprint(data))
	}
	if len(pictures.Images) != 0 {
		t.Errorf("%d images", len(pictures.Images))
	}
}

// One of several forms of an image is shown; plotly's own is not an image.
func TestFormsOfAnImage(t *testing.T) {
	pictures := testTray(t, 9)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>x()</script></svg>`
	refs := pictures.put(map[string]any{
		"image/svg+xml": []any{svg[:20], svg[20:]}, "image/png": sample.NoisePNG(t, 4, 4), Plotly: map[string]any{"data": []any{}},
	})
	test.StrHasPrefix(t, "<image 1, 4×4", refs["image/png"])
	test.StrHasPrefix(t, "<the same image, image/svg+xml", refs["image/svg+xml"])
	test.StrContains(t, refs[Plotly], "shown as the image")
	test.SliceLen(t, 1, pictures.Images)
	refs = pictures.put(map[string]any{Plotly: map[string]any{"data": []any{}}})
	test.StrContains(t, refs[Plotly], "no picture of it")
	test.StrContains(t, refs[Plotly], "renderer=\"png\"")
	// The answer does not contain it as JSON either.
	out := ContentsOf([]ydoc.Output{sample.Display(map[string]any{Plotly: map[string]any{"data": strings.Repeat("x", 1000)}, "text/plain": "Figure"})})
	got := sample.AsJSON(t, out.Show(generous, pictures).Outputs)
	test.StrNotContains(t, got, "xxxx")
	test.Eq(t, len("Figure"), out.Size)
}

// Images share the available room: one may take all of it, four a quarter each.
func TestImagesShareTheRoom(t *testing.T) {
	for n, least := range map[int]int{1: 300_000, 4: 50_000} {
		pictures := testTray(t, 4)
		pictures.expected = n
		total := 0
		for i := range n {
			if ref := pictures.put(map[string]any{"image/png": sample.NoisePNG(t, 600+i, 600)})["image/png"]; !strings.HasPrefix(ref, "<image ") {
				t.Error(ref)
			}
			total += len(pictures.Images[i].Data)
			if len(pictures.Images[i].Data) < least {
				t.Errorf("image %d of %d takes %d bytes", i+1, n, len(pictures.Images[i].Data))
			}
		}
		if total > ImageBudget {
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
		strings.Repeat("é", 300):        strings.Repeat("é", MaxLine-1) + "…",
	} {
		if got := FirstLine(source); got != want {
			t.Errorf("firstLine(%.20q) = %.20q", source, got)
		}
	}
}
