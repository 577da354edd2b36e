package figure

import (
	"crypto/sha256"
	"io"
	"maps"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"
)

// mostKnown bounds how many pictures are remembered: about a megabyte of lines.
const mostKnown = 2000

// Known keeps the figures' own descriptions, by picture, and the current state of widgets, so that outputs that are read
// later from the notebook are described too. It is safe for concurrent use.
type Known struct {
	lines *lru.Cache[[sha256.Size]byte, string]

	mu     sync.Mutex                // guards changes of models
	models *lru.Cache[string, model] // the widgets', by id
}

// NewKnown returns an empty Known.
func NewKnown() *Known {
	return &Known{lines: lo.Must(lru.New[[sha256.Size]byte, string](mostKnown)), models: lo.Must(lru.New[string, model](mostModels))}
}

// Take returns an output's data without the figure's own description, which is remembered; k may be nil. It does not change
// data.
func (k *Known) Take(data map[string]any) map[string]any {
	v, ok := data[MIME]
	if !ok {
		return data
	}
	data = maps.Clone(data)
	delete(data, MIME)
	line := Matplotlib(v)
	if k == nil || line == "" {
		return data
	}
	for mime, picture := range data {
		if strings.HasPrefix(mime, "image/") {
			k.lines.Add(sum(mime, picture), line)
		}
	}
	return data
}

// About returns the own description of the figure whose picture an output has, "" if it is unknown; k may be nil.
func (k *Known) About(data map[string]any) string {
	if k == nil {
		return ""
	}
	for mime, picture := range data {
		if strings.HasPrefix(mime, "image/") {
			if line, ok := k.lines.Get(sum(mime, picture)); ok {
				return line
			}
		}
	}
	return ""
}

// sum names a picture. A file has line ends in it that the kernel's message lacks, or has it as a list of lines.
func sum(mime string, picture any) (name [sha256.Size]byte) {
	h := sha256.New()
	// A hash does not fail.
	_, _ = io.WriteString(h, mime)
	write := func(v any) {
		text, _ := v.(string)
		for part := range strings.FieldsSeq(text) {
			_, _ = io.WriteString(h, part)
		}
	}
	if lines, ok := picture.([]any); ok {
		for _, line := range lines {
			write(line)
		}
	} else {
		write(picture)
	}
	copy(name[:], h.Sum(nil))
	return name
}
