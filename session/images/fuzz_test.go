package images

import (
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"strings"
	"testing"
)

// Whatever an output holds is refused, or shown within the bounds.
func FuzzDecode(f *testing.F) {
	f.Add("image/png", encode64(pngOf(f, noise(20, 20))))
	f.Add("image/jpeg", encode64(jpegOf(f, noise(20, 20))))
	f.Add("image/gif", encode64(gifOf(f, plain(5, 5, color.White), plain(5, 5, color.White))))
	f.Add("image/webp", webp1x1)
	f.Add("image/png", encode64(hugePNG(30_000, 30_000, 1)))
	f.Add("image/png", "===")
	f.Fuzz(func(t *testing.T, mime, data string) {
		if mime == SVG {
			return // has a target of its own, and takes longer to be drawn
		}
		img, err := Decode(mime, data)
		if err != nil {
			if err.Error() == "" || img.Data != nil {
				t.Fatalf("%v, %+v", err, img)
			}
			return
		}
		if img.Width*img.Height > 4_000_000 {
			return // is decoded, and takes its time
		}
		p, err := Fit(t.Context(), img, Limits{Side: 64, Bytes: 2000})
		if err != nil {
			return
		}
		if len(p.Data) > 2000 || max(p.Width, p.Height) > 64 {
			t.Fatalf("%d bytes, %d×%d", len(p.Data), p.Width, p.Height)
		}
		pixelsOf(t, p)
	})
}

// Whatever an SVG holds, what is left of it is well-formed and holds only what is allowed.
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
		if again, err := CleanSVG(out); err != nil || string(again) != string(out) {
			t.Fatalf("cleaned again: %v\n%q\n%q", err, out, again)
		}
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
	if e.Name.Space != svgSpace || !elements[e.Name.Local] {
		t.Fatalf("an element %v", e.Name)
	}
	for _, a := range e.Attr {
		name, value := strings.ToLower(a.Name.Local), strings.ToLower(a.Value)
		if strings.HasPrefix(name, "on") || name == "src" || strings.Contains(value, "javascript:") && name != "id" && name != "class" && name != "lang" && name != "space" {
			t.Fatalf("an attribute %v=%q", a.Name, a.Value)
		}
		if name == "href" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "data:image/") {
			t.Fatalf("a link to %q", a.Value)
		}
	}
}
