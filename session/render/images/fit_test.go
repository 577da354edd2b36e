package images

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func encode64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// noise is an image that compresses badly.
func noise(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

func plain(w, h int, c color.Color) *image.Paletted {
	return image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{c, color.Black})
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t testing.TB, frames ...*image.Paletted) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: frames, Delay: make([]int, len(frames))}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webp1x1 is a lossless WebP of one pixel.
const webp1x1 = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

// hugePNG returns a PNG of one colour whose header claims w×h pixels, with only that many lines.
func hugePNG(w, h, lines int) []byte {
	var b bytes.Buffer
	chunk := func(name string, data []byte) {
		_ = binary.Write(&b, binary.BigEndian, uint32(len(data)))
		b.WriteString(name)
		b.Write(data)
		_ = binary.Write(&b, binary.BigEndian, crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, data))
	}
	b.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(w))
	header = binary.BigEndian.AppendUint32(header, uint32(h))
	chunk("IHDR", append(header, 1, 0, 0, 0, 0))
	var z bytes.Buffer
	w8 := make([]byte, 1+(w+7)/8)
	zw := zlib.NewWriter(&z)
	for range lines {
		_, _ = zw.Write(w8)
	}
	_ = zw.Close()
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return b.Bytes()
}

func TestDecode(t *testing.T) {
	small := pngOf(t, plain(3, 2, color.White))
	lines := encode64(small)[:20] + "\n" + encode64(small)[20:] + "\r\n"
	for name, c := range map[string]struct {
		mime, data, is string
		w, h           int
		ext            string
	}{
		"png":              {"image/png", encode64(small), "image/png", 3, 2, "png"},
		"png in lines":     {"image/png", lines, "image/png", 3, 2, "png"},
		"png without =":    {"image/png", strings.TrimRight(encode64(small), "="), "image/png", 3, 2, "png"},
		"jpeg":             {"image/jpeg", encode64(jpegOf(t, noise(5, 4))), "image/jpeg", 5, 4, "jpg"},
		"jpeg called png":  {"image/png", encode64(jpegOf(t, noise(5, 4))), "image/jpeg", 5, 4, "jpg"},
		"gif":              {"image/gif", encode64(gifOf(t, plain(7, 6, color.White))), "image/gif", 7, 6, "gif"},
		"webp":             {"image/webp", webp1x1, "image/webp", 1, 1, "webp"},
		"svg":              {SVG, head + tail, SVG, 0, 0, "svg"},
		"30,000 pixels ok": {"image/png", encode64(hugePNG(MaxSide, 1, 1)), "image/png", MaxSide, 1, "png"},
	} {
		got, err := Decode(c.mime, c.data)
		must.NoError(t, err, must.Sprint(name))
		test.Eq(t, c.is, got.MIME, test.Sprint(name))
		test.Eq(t, c.w, got.Width, test.Sprint(name))
		test.Eq(t, c.h, got.Height, test.Sprint(name))
		test.Eq(t, c.ext, got.Ext(), test.Sprint(name))
		test.SliceNotEmpty(t, got.Data, test.Sprint(name))
	}
	animated := "RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00ANIM"
	wide := gifOf(t, plain(1, 1, color.White))
	binary.LittleEndian.PutUint16(wide[6:], 30_000)
	binary.LittleEndian.PutUint16(wide[8:], 30_000)
	// A WebP's lossless header: a signature, then width and height less one in 14 bits each.
	webp, err := base64.StdEncoding.DecodeString(webp1x1)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(webp[21:], 16383|16383<<14)
	for name, c := range map[string]struct{ mime, data, says string }{
		"empty":         {"image/png", " \n", "empty"},
		"broken base64": {"image/png", "not base64!", "not valid base64"},
		"no image":      {"image/png", encode64([]byte("hello")), "not a PNG"},
		"cut header":    {"image/png", encode64(small[:20]), "not a PNG"},
		"png bomb":      {"image/png", encode64(hugePNG(30_000, 30_000, 3)), "30000×30000 pixels"},
		"wide":          {"image/png", encode64(hugePNG(30_000, 1, 1)), "30000×1 pixels"},
		"many pixels":   {"image/png", encode64(hugePNG(10_000, 10_000, 1)), "10000×10000 pixels"},
		"gif bomb":      {"image/gif", encode64(wide), "30000×30000 pixels"},
		"webp bomb":     {"image/webp", encode64(webp), "16384×16384 pixels"},
		"animated webp": {"image/webp", encode64([]byte(animated)), "animated"},
		"large":         {"image/png", strings.Repeat("A", 100<<20), "bytes"},
		"broken svg":    {SVG, "<svg", "well-formed"},
	} {
		got, err := Decode(c.mime, c.data)
		must.Error(t, err, must.Sprint(name, got.MIME, got.Width, got.Height))
		test.StrContains(t, err.Error(), c.says, test.Sprint(name, got.MIME, got.Width, got.Height))
	}
}

func pixelsOf(t *testing.T, p Picture) image.Image {
	t.Helper()
	img, format, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	must.Eq(t, p.MIME, "image/"+format)
	must.Eq(t, p.Width, img.Bounds().Dx())
	must.Eq(t, p.Height, img.Bounds().Dy())
	return img
}

func TestFit(t *testing.T) {
	const mega = 1 << 20
	clear := noise(200, 200)
	for i := 3; i < len(clear.Pix); i += 4 {
		clear.Pix[i] = clear.Pix[i-1]
	}
	small := gifOf(t, plain(7, 6, color.White), plain(7, 6, color.Black))
	for name, c := range map[string]struct {
		data []byte
		most int
		mime string
		w, h int // 0 for less than the original
		asIs bool
	}{
		"small png":       {pngOf(t, noise(40, 30)), mega, "image/png", 40, 30, true},
		"small jpeg":      {jpegOf(t, noise(40, 30)), mega, "image/jpeg", 40, 30, true},
		"small gif":       {small, mega, "image/gif", 7, 6, true},
		"long side":       {pngOf(t, plain(3136, 100, color.White)), mega, "image/png", 1568, 50, false},
		"high side":       {pngOf(t, plain(100, 3136, color.White)), mega, "image/png", 50, 1568, false},
		"very thin":       {hugePNG(MaxSide, 1, 1), mega, "image/png", 1568, 1, false},
		"large gif":       {gifOf(t, plain(3136, 100, color.White)), mega, "image/png", 1568, 50, false},
		"many bytes":      {pngOf(t, noise(200, 200)), 40_000, "image/jpeg", 200, 200, false},
		"too many":        {pngOf(t, noise(200, 200)), 5_000, "image/jpeg", 0, 0, false},
		"see-through":     {pngOf(t, clear), 50_000, "image/png", 0, 0, false},
		"exactly as many": {pngOf(t, plain(1568, 1568, color.White)), mega, "image/png", 1568, 1568, true},
	} {
		t.Run(name, func(t *testing.T) {
			img, err := Sniff(c.data)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Fit(t.Context(), img, Limits{Bytes: c.most})
			if err != nil {
				t.Fatal(err)
			}
			pixelsOf(t, p)
			test.Eq(t, c.mime, p.MIME)
			must.LessEq(t, c.most, len(p.Data))
			test.Eq(t, c.asIs, bytes.Equal(p.Data, c.data))
			test.Eq(t, img.Width, p.OwnWidth)
			test.Eq(t, img.Height, p.OwnHeight)
			test.False(t, c.w > 0 && (p.Width != c.w || p.Height != c.h))
			test.False(t, c.w == 0 && (p.Width >= img.Width || p.Width < minShown))
		})
	}
}

// Scaling keeps visible content: a line one pixel wide in four becomes grey, rather than some lines missing.
func TestFitFilters(t *testing.T) {
	src := image.NewNRGBA(image.Rect(0, 0, 4*MaxShown, 8))
	for i := range src.Pix {
		src.Pix[i] = 255
	}
	for x := 0; x < src.Bounds().Dx(); x += 4 {
		for y := range 8 {
			src.Set(x, y, color.Black)
		}
	}
	img, err := Sniff(pngOf(t, src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Fit(t.Context(), img, Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	got := pixelsOf(t, p)
	for x := 10; x < MaxShown-10; x++ {
		r, _, _, _ := got.At(x, 1).RGBA()
		must.GreaterEq(t, 140, r>>8, must.Sprint(x))
		must.LessEq(t, 240, r>>8, must.Sprint(x))
	}
}

func TestFitRefuses(t *testing.T) {
	whole := pngOf(t, noise(100, 100))
	broken := bytes.Clone(whole)
	broken[len(broken)/2] ^= 0xff
	for name, data := range map[string][]byte{"cut": whole[:len(whole)/2], "broken": broken, "short": hugePNG(3000, 3000, 5)} {
		img, err := Sniff(data)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Fit(t.Context(), img, Limits{Bytes: 1 << 20})
		must.Error(t, err, must.Sprint(name))
		test.StrContains(t, err.Error(), "broken", test.Sprint(name))
	}
	if _, err := Fit(t.Context(), Image{MIME: "image/png", Data: hugePNG(30_000, 30_000, 1)}, Limits{Bytes: 1 << 20}); err == nil {
		t.Error("a bomb that was not looked at before is decoded")
	}
	img, err := Sniff(whole)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Fit(t.Context(), img, Limits{Bytes: 100})
	must.Error(t, err, must.Sprint("in 100 bytes"))
	test.StrContains(t, err.Error(), "100 bytes", test.Sprint("in 100 bytes"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range cap(slots) {
		slots <- struct{}{}
	}
	if _, err := Fit(ctx, img, Limits{Bytes: 1 << 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("while all slots are taken: %v", err)
	}
	for range cap(slots) {
		<-slots
	}
}
