package images

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats that image.DecodeConfig knows
	_ "image/jpeg"
	_ "image/png"
	"strings"

	_ "golang.org/x/image/webp" // one more
)

// The bounds of images to decode.
const (
	// MaxBytes is how large an image may be, in bytes of its own format.
	MaxBytes = 32 << 20
	// MaxSide is how wide and how high it may be, in pixels.
	MaxSide = 20_000
	// MaxPixels is how many pixels it may have: 100 MB when they are decoded.
	MaxPixels = 25_000_000
	// MaxSVG is how large an SVG may be, in bytes: drawing takes longer than decoding.
	MaxSVG = 8 << 20
)

// SVG is the MIME type of SVG.
const SVG = "image/svg+xml"

// Types are the supported MIME types, the most faithful first.
func Types() []string { return []string{"image/png", "image/jpeg", "image/webp", "image/gif", SVG} }

// An Image is an image in its own format.
type Image struct {
	MIME string // of the bytes, which the output may have named differently
	Data []byte // read-only
	// Width and Height are its size in pixels; 0 for an SVG, whose size is known once it is drawn.
	Width, Height int
}

// Ext is the usual file extension of the image's type, without the dot.
func (i Image) Ext() string {
	switch i.MIME {
	case SVG:
		return "svg"
	case "image/jpeg":
		return "jpg"
	}
	return strings.TrimPrefix(i.MIME, "image/")
}

// Decode reads an image from an output: base64, with or without line ends, or the text of an SVG. It does not decode
// the pixels. An error says what is wrong with the image, for its author.
func Decode(mime, text string) (Image, error) {
	if strings.TrimSpace(text) == "" {
		return Image{}, errors.New("it is empty")
	}
	if mime == SVG {
		data, err := CleanSVG([]byte(text))
		if err != nil {
			return Image{}, err
		}
		return Image{MIME: SVG, Data: data}, nil
	}
	if base64.StdEncoding.DecodedLen(len(text)) > 2*MaxBytes { // line ends counted
		return Image{}, tooLarge(base64.StdEncoding.DecodedLen(len(text)), MaxBytes)
	}
	data, err := decode64(text)
	if err != nil {
		return Image{}, errors.New("it is not valid base64")
	}
	return Sniff(data)
}

// Sniff finds the type and size of the image in the bytes.
func Sniff(data []byte) (Image, error) {
	if len(data) > MaxBytes {
		return Image{}, tooLarge(len(data), MaxBytes)
	}
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	if animatedWebP(data) {
		return Image{}, errors.New("it is an animated WebP: save it as a GIF, or save one frame")
	}
	if err != nil {
		return Image{}, errors.New("it is not a PNG, JPEG, GIF or WebP that can be read")
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return Image{}, errors.New("it has no pixels")
	}
	if cfg.Width > MaxSide || cfg.Height > MaxSide || cfg.Width*cfg.Height > MaxPixels {
		return Image{}, fmt.Errorf("it has %d×%d pixels, but at most %d on a side and %d in all are decoded: save it smaller",
			cfg.Width, cfg.Height, MaxSide, MaxPixels)
	}
	return Image{MIME: "image/" + format, Data: data, Width: cfg.Width, Height: cfg.Height}, nil
}

func tooLarge(n, most int) error {
	return fmt.Errorf("it has %d bytes, but at most %d are decoded: save it smaller", n, most)
}

// unspaced removes the line ends and blanks that base64 may have.
var unspaced = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")

// decode64 reads base64 in which there may be white space, and whose padding may be missing.
func decode64(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(unspaced.Replace(text), "="))
}

// animatedWebP reports whether data is a WebP of several pictures, which the decoder does not know (the WebP container
// specification, extended file format: the second bit of the VP8X chunk's flags).
func animatedWebP(data []byte) bool {
	return len(data) > 20 && string(data[:4]) == "RIFF" && string(data[8:16]) == "WEBPVP8X" && data[20]&2 != 0
}
