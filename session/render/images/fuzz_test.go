package images

import (
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// Any output is refused, or shown within the bounds.
func FuzzDecode(f *testing.F) {
	f.Add("image/png", encode64(pngOf(f, noise(20, 20))))
	f.Add("image/jpeg", encode64(jpegOf(f, noise(20, 20))))
	f.Add("image/gif", encode64(gifOf(f, plain(5, 5, color.White), plain(5, 5, color.White))))
	f.Add("image/webp", webp1x1)
	f.Add("image/png", encode64(hugePNG(30_000, 30_000, 1)))
	f.Add("image/png", "===")
	f.Fuzz(func(t *testing.T, mime, data string) {
		if mime == SVG {
			return // has its own target, and takes longer to draw
		}
		img, err := Decode(mime, data)
		if err != nil {
			must.NotEq(t, "", err.Error())
			must.Nil(t, img.Data)
			return
		}
		if img.Width*img.Height > 4_000_000 {
			return // is decoded, and takes its time
		}
		p, err := Fit(t.Context(), img, Limits{Side: 64, Bytes: 2000})
		if err != nil {
			return
		}
		must.LessEq(t, 2000, len(p.Data))
		must.LessEq(t, 64, max(p.Width, p.Height))
		pixelsOf(t, p)
	})
}

// For any SVG, the cleaned result is well-formed and has only allowed content.
func FuzzCleanSVG(f *testing.F) {
	f.Add(head + `<g id="a" style="fill:url(#b)"><use href="#c"/><text>x &amp; y</text></g>` + tail)
	f.Add(head + `<style>@import url(http://x/);a{b:url('c')}</style><a href="javascript:x()"/>` + tail)
	f.Add(`<!DOCTYPE svg [<!ENTITY a "b">]>` + head + `<script/><rect onclick="a" xmlns:x="y" x:z="1"/>` + tail)
	f.Add(bomb(3))
	f.Fuzz(func(t *testing.T, svg string) {
		out, err := CleanSVG([]byte(svg))
		if err != nil {
			return
		}
		again, err := CleanSVG(out)
		must.NoError(t, err, must.Sprint("cleaned again"))
		must.Eq(t, string(out), string(again), must.Sprint("cleaned again"))
		for dec := xml.NewDecoder(strings.NewReader(string(out))); ; {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%q: %v", out, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				allowed(t, token)
			case xml.EndElement, xml.CharData:
			default:
				t.Fatalf("%q holds a %T", out, token)
			}
		}
	})
}

func allowed(t *testing.T, e xml.StartElement) {
	t.Helper()
	must.Eq(t, svgSpace, e.Name.Space)
	must.True(t, elements[e.Name.Local])
	for _, a := range e.Attr {
		name, value := strings.ToLower(a.Name.Local), strings.ToLower(a.Value)
		must.StrNotHasPrefix(t, "on", name, must.Sprint(a.Name, a.Value))
		must.NotEq(t, "src", name, must.Sprint(a.Name, a.Value))
		must.False(t, strings.Contains(value, "javascript:") && name != "id" && name != "class" && name != "lang" && name != "space", must.Sprint(a.Name, a.Value))
		if name == "href" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "data:image/") {
			t.Fatalf("a link to %q", a.Value)
		}
	}
}
