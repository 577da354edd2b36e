package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// MaxShown is the longest side of a shown picture, in pixels: models see no more of a larger one.
const MaxShown = 1568

// minShown is the shortest useful length of a picture's longer side, in pixels.
const minShown = 48

// slots bounds how many images are decoded or drawn at one time.
var slots = make(chan struct{}, 2)

// acquireSlot waits for a slot; release returns it.
func acquireSlot(ctx context.Context) (release func(), err error) {
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Limits bound a shown picture.
type Limits struct {
	Side  int // pixels on the longer side; 0 for MaxShown
	Bytes int // of the encoded picture
}

func (l Limits) side() int {
	if l.Side <= 0 {
		return MaxShown
	}
	return l.Side
}

// A Picture is an image as shown to a client: a PNG, JPEG, GIF or WebP that has been decoded once.
type Picture struct {
	Image
	// OwnWidth and OwnHeight are the original image's size in pixels, for an SVG in CSS pixels.
	OwnWidth, OwnHeight int
}

// Fit returns a picture of an image within the limits: the image itself if it fits, else a new one, scaled down, as a PNG,
// or as a JPEG if the PNG has too many bytes. The error describes the image's fault, or is ctx's.
func Fit(ctx context.Context, img Image, lim Limits) (Picture, error) {
	release, err := acquireSlot(ctx)
	if err != nil {
		return Picture{}, err
	}
	defer release()
	p := Picture{OwnWidth: img.Width, OwnHeight: img.Height}
	var pixels image.Image
	if img.MIME == SVG {
		d, err := drawSVG(ctx, img.Data, lim.side())
		if err != nil {
			return Picture{}, err
		}
		pixels, p.OwnWidth, p.OwnHeight = d.pixels, d.width, d.height
	} else {
		// The caller may have made the Image without Decode: check the bounds again.
		if img, err = Sniff(img.Data); err != nil {
			return Picture{}, err
		}
		if pixels, err = decodePixels(img.Data); err != nil {
			return Picture{}, fmt.Errorf("it is broken: %w", err)
		}
		if max(img.Width, img.Height) <= lim.side() && len(img.Data) <= lim.Bytes {
			p.Image = img
			return p, nil
		}
	}
	p.Image, err = encode(pixels, lim)
	return p, err
}

// decodePixels decodes an image, or the first frame of an animation. It turns a decoder's panic on a broken file into
// an error.
func decodePixels(data []byte) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("the decoder failed: %v", r)
		}
	}()
	img, _, err = image.Decode(bytes.NewReader(data))
	if err == nil && img.Bounds().Empty() {
		err = errors.New("it has no pixels")
	}
	return img, err
}

// encode writes pixels within the limits.
func encode(src image.Image, lim Limits) (Image, error) {
	// Scale first, so that the rest is cheap.
	pixels := scaled(src, lim.side())
	for side := lim.side(); ; {
		if img, err := smallest(pixels, lim.Bytes); err != nil || img.Data != nil {
			return img, err
		}
		b := pixels.Bounds()
		if side = min(side, max(b.Dx(), b.Dy())) * 3 / 4; side < minShown {
			return Image{}, fmt.Errorf("it does not fit in %d bytes", lim.Bytes)
		}
		pixels = scaled(src, side)
	}
}

// smallest encodes pixels as a PNG, or as the best JPEG that fits; without data if neither fits.
func smallest(pixels *image.NRGBA, most int) (Image, error) {
	b := pixels.Bounds()
	img := Image{MIME: "image/png", Width: b.Dx(), Height: b.Dy()}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := enc.Encode(&out, pixels); err != nil {
		return Image{}, fmt.Errorf("it cannot be written as a PNG: %w", err)
	}
	if out.Len() <= most {
		img.Data = out.Bytes()
		return img, nil
	}
	if !pixels.Opaque() {
		return img, nil
	}
	img.MIME = "image/jpeg"
	for _, quality := range []int{90, 80, 65, 50} {
		out.Reset()
		if err := jpeg.Encode(&out, pixels, &jpeg.Options{Quality: quality}); err != nil {
			return Image{}, fmt.Errorf("it cannot be written as a JPEG: %w", err)
		}
		if out.Len() <= most {
			img.Data = out.Bytes()
			return img, nil
		}
	}
	return img, nil
}

// scaled draws src so that its longer side is at most side pixels, and neither is less than one.
func scaled(src image.Image, side int) *image.NRGBA {
	from := src.Bounds()
	w, h := from.Dx(), from.Dy()
	if long := max(w, h); long > side {
		w, h = max(1, w*side/long), max(1, h*side/long)
	}
	to := image.NewNRGBA(image.Rect(0, 0, w, h))
	if w == from.Dx() && h == from.Dy() {
		draw.Draw(to, to.Bounds(), src, from.Min, draw.Src)
		return to
	}
	draw.CatmullRom.Scale(to, to.Bounds(), src, from, draw.Src, nil)
	return to
}
