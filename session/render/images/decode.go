package images

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats of image.DecodeConfig
	_ "image/jpeg"
	_ "image/png"
	"strings"

	_ "golang.org/x/image/webp" // one more format
)

// The bounds of images to decode.
const (
	// MaxBytes is the largest size of an image, in bytes of its own format.
	MaxBytes = 32 << 20
	// MaxSide is the largest width and height, in pixels.
	MaxSide = 20_000
	// MaxPixels is the largest number of pixels: 100 MB when decoded.
	MaxPixels = 25_000_000
	// MaxSVG is the largest size of an SVG, in bytes: drawing takes longer than decoding.
	MaxSVG = 8 << 20
)

// SVG is the MIME type of SVG.
const SVG = "image/svg+xml"

// Types returns the supported MIME types, the most faithful first.
func Types() []string { return []string{"image/png", "image/jpeg", "image/webp", "image/gif", SVG} }

// An Image is an image in its own format.
type Image struct {
	MIME string // of the bytes, which may differ from the output's MIME type
	Data []byte // read-only
	// Width and Height are its size in pixels; 0 for an SVG, whose size is known after drawing.
	Width, Height int
}

// Ext returns the usual file extension of the image's type, without the dot.
func (i Image) Ext() string {
	switch i.MIME {
	case SVG:
		return "svg"
	case "image/jpeg":
		return "jpg"
	}
	return strings.TrimPrefix(i.MIME, "image/")
}

// Decode reads an image from an output: base64, with or without line ends, or the text of an SVG. It does not decode the
// pixels. The error describes the image's fault, for its author.
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
	if base64.StdEncoding.DecodedLen(len(text)) > 2*MaxBytes { // including line ends
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

// unspaced removes line ends and spaces, which base64 may have.
var unspaced = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")

// decode64 reads base64, ignoring white space and missing padding.
func decode64(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(unspaced.Replace(text), "="))
}

// animatedWebP reports whether data is a WebP with several pictures, which the decoder does not support (the WebP container
// specification, extended file format: the second bit of the VP8X chunk's flags).
func animatedWebP(data []byte) bool {
	return len(data) > 20 && string(data[:4]) == "RIFF" && string(data[8:16]) == "WEBPVP8X" && data[20]&2 != 0
}
