package tools

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// How many images an answer shows, and how much room they take, as base64, so that text has its share too.
const (
	maxImagesRead = 4
	maxImagesRun  = 8
	maxImageBytes = 600_000
)

// imageTypes are the kinds of image that models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// A tray collects the images of one answer.
type tray struct {
	most   int
	room   int // bytes of base64 left
	images []image
}

func newTray(most int) *tray { return &tray{most: most, room: maxImageBytes} }

// put takes an image, if there is room, and returns what stands in the JSON in its place and whether it is shown.
func (t *tray) put(mime, data string) (reference string, ok bool) {
	about := kilobytes(image{data: data}.bytes())
	if data != "" && len(t.images) >= t.most {
		return fmt.Sprintf("<image, %s, not shown: an answer shows %d; read_nb_cells with this cell alone shows it>", about, t.most), false
	}
	data = unwrapped(data)
	img := image{mime, data}
	about = kilobytes(img.bytes())
	switch {
	case data == "":
		return "<image, not shown: it is empty>", false
	case len(data) > maxImageBytes:
		return fmt.Sprintf("<image, %s, not shown: at most %s of images fit in an answer>", about, kilobytes(maxImageBytes*3/4)), false
	case len(data) > t.room:
		return fmt.Sprintf("<image, %s, not shown: the answer is full; read_nb_cells with this cell alone shows it>", about), false
	}
	if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		return "<image, not shown: it is not valid base64>", false
	}
	t.images = append(t.images, img)
	t.room -= len(data)
	return fmt.Sprintf("<image %d, %s, shown below>", len(t.images), about), true
}

// unwrapped removes the line ends that kernels put into base64.
func unwrapped(data string) string {
	const space = " \t\r\n"
	if !strings.ContainsAny(data, space) {
		return data
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(space, r) {
			return -1
		}
		return r
	}, data)
}

// mark and back undo the taking of images for a cell that does not fit in the answer.
func (t *tray) mark() int { return len(t.images) }

func (t *tray) back(mark int) {
	for _, img := range t.images[mark:] {
		t.room += len(img.data)
	}
	t.images = slices.Clip(t.images[:mark])
}
