package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

const (
	head = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50">`
	tail = `</svg>`
)

func mustClean(t *testing.T, svg string) string {
	t.Helper()
	out, err := CleanSVG([]byte(svg))
	if err != nil {
		t.Fatalf("%s: %v", svg, err)
	}
	return string(out)
}

func TestCleanSVGTakesOut(t *testing.T) {
	for name, c := range map[string]struct{ svg, never string }{
		"script":            {head + `<script>alert("gone")</script>` + tail, "gone"},
		"svg script":        {`<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>gone()</s:script></s:svg>`, "gone"},
		"xhtml script":      {head + `<h:script xmlns:h="http://www.w3.org/1999/xhtml">gone()</h:script>` + tail, "gone"},
		"handler":           {head + `<rect onclick="gone()" onload='gone()' ONmouseover="gone()"/>` + tail, "gone"},
		"handler of root":   {`<svg onload="gone()"/>`, "gone"},
		"foreign object":    {head + `<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="gone"/></body></foreignObject>` + tail, "gone"},
		"javascript link":   {head + `<a href="javascript:gone()"><text>x</text></a>` + tail, "gone"},
		"hidden javascript": {head + `<a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="java&#x0A;script:gone()"/>` + tail, "gone"},
		"animated link":     {head + `<a><set attributeName="href" to="javascript:gone()"/></a>` + tail, "gone"},
		"animation":         {head + `<animate attributeName="href" values="gone"/>` + tail, "gone"},
		"picture":           {head + `<image href="http://gone/x.png"/><image href="file:///gone"/><image href="//gone"/>` + tail, "gone"},
		"svg in a picture":  {head + `<image href="data:image/svg+xml;base64,Z29uZQ=="/>` + tail, "Z29u"},
		"outside use":       {head + `<use href="http://gone/x.svg#a"/>` + tail, "gone"},
		"image filter":      {head + `<filter id="f"><feImage href="http://gone/"/></filter>` + tail, "gone"},
		"style url":         {head + `<rect style="fill:url(http://gone/x#y)"/>` + tail, "gone"},
		"quoted style url":  {head + `<rect style="fill: URL( 'http://gone/x' )"/>` + tail, "gone"},
		"open style url":    {head + `<rect style="fill:url(http://gone/x"/>` + tail, "gone"},
		"attribute url":     {head + `<rect fill="url(http://gone/x#y)" mask='url("//gone")'/>` + tail, "gone"},
		"escaped url":       {head + `<rect style="fill:u\72l(http://gone/)"/>` + tail, "gone"},
		"import":            {head + `<style>@import "http://gone/";</style>` + tail, "gone"},
		"hidden import":     {head + `<style>@im/**/port "http://gone/";@/**/import url(http://gone)</style>` + tail, "gone"},
		"built import":      {head + `<style>@imp<!-- -->ort "http://gone/";</style>` + tail, "gone"},
		"cdata":             {head + `<style><![CDATA[@import "http://gone/";]]></style>` + tail, "gone"},
		"font":              {head + `<style>@font-face{font-family:x;src:url(http://gone/)}</style>` + tail, "gone"},
		"image-set":         {head + `<style>rect{background:image-set("http://gone/" 1x)}</style>` + tail, "gone"},
		"stylesheet":        {`<?xml version="1.0"?><?xml-stylesheet href="http://gone/"?>` + head + tail, "gone"},
		"document type":     {`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://gone/svg11.dtd" [<!ENTITY e SYSTEM "file:///gone">]>` + head + tail, "gone"},
		"comment":           {head + `<!-- gone -->` + tail, "gone"},
		"metadata":          {head + `<metadata>gone</metadata>` + tail, "gone"},
		"base":              {head + `<g xml:base="http://gone/"/>` + tail, "gone"},
		"foreign attribute": {`<svg xmlns:i="http://www.inkscape.org/" i:gone="1"/>`, "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			out := mustClean(t, c.svg)
			if strings.Contains(out, c.never) {
				t.Errorf("%s\nbecomes\n%s", c.svg, out)
			}
			if again := mustClean(t, out); again != out {
				t.Errorf("cleaned again:\n%s\n%s", out, again)
			}
		})
	}
}

func TestCleanSVGLeaves(t *testing.T) {
	for _, part := range []string{
		`<rect x="1" fill="red"></rect>`,
		`<g clip-path="url(#c)" style="fill: none; stroke: #000000"><path d="M 1 2 L 3 4"></path></g>`,
		`<use href="#a"></use>`,
		`<use xlink:href="#a"></use>`,
		`<image href="data:image/png;base64,iVBORw0KGgo="></image>`,
		`<style>*{stroke-linejoin: round; stroke-linecap: butt}</style>`,
		`<text font-family="DejaVu Sans" xml:space="preserve">a &lt; b &amp; ü</text>`,
		`<linearGradient id="g"><stop offset="0"></stop></linearGradient>`,
	} {
		out := mustClean(t, `<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg">`+part+tail)
		if !strings.Contains(out, part) {
			t.Errorf("%s becomes %s", part, out)
		}
	}
	// Missing attributes are added at the root.
	if out := mustClean(t, `<svg width="3"><g/></svg>`); out != `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="3"><g></g></svg>` {
		t.Error(out)
	}
}

// bomb returns an SVG of n levels, each of which uses the one below ten times.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString(head + `<rect id="u0" width="1" height="1"/>`)
	for i := range n {
		fmt.Fprintf(&b, `<g id="u%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#u%d"/>`, i), 10))
	}
	return b.String() + tail
}

func entityBomb() string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">`)
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(&b, `<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	return b.String() + `]>` + head + `<text>&j;</text>` + tail
}

func TestCleanSVGRefuses(t *testing.T) {
	for name, c := range map[string]struct{ svg, says string }{
		"nothing":      {"", "no svg element"},
		"text":         {"plot", "no svg element"},
		"html":         {"<html><svg/></html>", `"html"`},
		"two":          {"<svg/><svg/>", "outermost"},
		"another":      {`<svg xmlns="http://example.com/"/>`, "outermost"},
		"not closed":   {"<svg><g></svg>", "well-formed"},
		"cut":          {head + `<rect x="1`, "well-formed"},
		"not UTF-8":    {"<svg>\xff</svg>", "UTF-8"},
		"entity bomb":  {entityBomb(), "well-formed"},
		"deep":         {strings.Repeat("<g>", 0) + head + strings.Repeat("<g>", 100_000) + strings.Repeat("</g>", 100_000) + tail, "nested"},
		"deep dropped": {head + strings.Repeat("<script>", 1000) + strings.Repeat("</script>", 1000) + tail, "nested"},
		"many":         {head + strings.Repeat("<g/>", maxElements) + tail, "elements"},
		"attributes":   {"<svg" + strings.Repeat(` a="1"`, 300) + "/>", "attributes"},
		"large":        {head + strings.Repeat(" ", MaxSVG) + tail, "bytes"},
		"use bomb":     {bomb(9), "references are followed"},
		"cycle":        {head + `<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>` + tail, "refers to itself"},
		"url cycle":    {head + `<g id="a" mask="url(#a)"/>` + tail, "refers to itself"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := CleanSVG([]byte(c.svg))
			must.Error(t, err, must.Sprint(len(out)))
			test.StrContains(t, err.Error(), c.says, test.Sprint(len(out)))
		})
	}
	mustClean(t, bomb(3))
}

func fitSVG(t *testing.T, svg string) (image.Image, Picture) {
	t.Helper()
	img, err := Decode(SVG, svg)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Fit(t.Context(), img, Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return pixelsOf(t, p), p
}

func TestDrawSVG(t *testing.T) {
	got, p := fitSVG(t, head+`<defs><rect id="r" width="20" height="20" fill="#f00"/></defs><use href="#r" x="10" y="10"/>`+
		`<g clip-path="url(#c)"><rect x="50" width="50" height="50" fill="blue"/></g><clipPath id="c"><rect width="75" height="50"/></clipPath>`+tail)
	test.Eq(t, "image/png", p.MIME)
	test.Eq(t, 100, p.Width)
	test.Eq(t, 50, p.Height)
	test.Eq(t, 100, p.OwnWidth)
	test.Eq(t, 50, p.OwnHeight)
	for _, c := range []struct{ x, y, r, g, b int }{{2, 2, 255, 255, 255}, {20, 20, 255, 0, 0}, {60, 25, 0, 0, 255}, {90, 25, 255, 255, 255}} {
		r, g, b, _ := got.At(c.x, c.y).RGBA()
		test.Eq(t, c.r, int(r>>8))
		test.Eq(t, c.g, int(g>>8))
		test.Eq(t, c.b, int(b>>8))
	}
	// Text is drawn, regardless of the font it names.
	for _, family := range []string{"", `font-family="Times,serif"`, `font-family="Nowhere"`, `font-family="monospace"`} {
		got, _ := fitSVG(t, head+`<text x="10" y="30" `+family+`>Summe üß</text>`+tail)
		if dark(got) < 50 {
			t.Errorf("text with %s has %d dark pixels", family, dark(got))
		}
	}
	// A huge one is drawn small, and its own size is known.
	_, p = fitSVG(t, `<svg width="1000000" height="500000"><rect width="10" height="10"/></svg>`)
	test.Eq(t, MaxShown, p.Width)
	test.Eq(t, MaxShown/2, p.Height)
	test.Eq(t, 1_000_000, p.OwnWidth)
}

func TestDrawMatplotlib(t *testing.T) {
	b, err := os.ReadFile("testdata/matplotlib.svg")
	if err != nil {
		t.Fatal(err)
	}
	got, p := fitSVG(t, string(b))
	test.GreaterEq(t, 500, p.Width)
	test.GreaterEq(t, 1000, dark(got))
	if dir := os.Getenv("NBDUET_TEST_PICTURES"); dir != "" {
		_ = os.WriteFile(dir+"/matplotlib.png", p.Data, 0o644)
	}
}

// dark counts the dark pixels.
func dark(img image.Image) (n int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, bl, _ := img.At(x, y).RGBA(); r+g+bl < 3*0x6000 {
				n++
			}
		}
	}
	return n
}

// The sandbox stops what gets past the cleaner.
func TestDrawSVGIsBounded(t *testing.T) {
	for name, svg := range map[string]string{
		"no size":     `<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>`,
		"entity bomb": entityBomb(),
		"use cycle":   head + `<g id="a"><use href="#a"/></g>` + tail,
		"no svg":      "<x/>",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := drawSVG(t.Context(), []byte(svg), 100); err == nil && name != "use cycle" {
				t.Error("it is drawn")
			}
		})
	}
	t.Run("memory", func(t *testing.T) {
		layers := strings.Repeat(`<g opacity="0.5">`, 60) + `<rect width="9999" height="9999"/>` + strings.Repeat(`</g>`, 60)
		_, err := drawSVG(t.Context(), []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9999" height="9999">`+layers+tail), 9999)
		if err == nil {
			t.Error("it is drawn in 256 MiB")
		}
	})
	t.Run("time", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := drawSVG(ctx, []byte(bomb(6)), 1000); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that has ended: %v", err)
		}
	})
	// The next one is drawn as usual.
	if _, p := fitSVG(t, head+tail); !bytes.HasPrefix(p.Data, []byte("\x89PNG")) {
		t.Errorf("%+v", p)
	}
}
