package figure

import (
	"crypto/sha256"
	"io"
	"maps"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// mostKnown bounds how many pictures are remembered: about a megabyte of lines.
const mostKnown = 2000

// Known keeps the descriptions that figures gave of themselves, by picture, and the current state of widgets, so that outputs
// that are read later from the notebook are described too. The zero value is ready for use, and safe for concurrent use.
type Known struct {
	mu    sync.Mutex
	lines *lru.Cache[[sha256.Size]byte, string]

	models *lru.Cache[string, model] // the widgets', by id
}

// Take returns an output's data without what a figure tells of itself, which is remembered; k may be nil. It does not
// change data.
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
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines = cache(k.lines, mostKnown)
	for mime, picture := range data {
		if strings.HasPrefix(mime, "image/") {
			k.lines.Add(sum(mime, picture), line)
		}
	}
	return data
}

// cache returns c, or a new cache of a size if c is nil.
func cache[K comparable, V any](c *lru.Cache[K, V], size int) *lru.Cache[K, V] {
	if c != nil {
		return c
	}
	c, err := lru.New[K, V](size)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return c
}

// About is what the figure of which an output has the picture has told of itself, "" if that is not known; k may be nil.
func (k *Known) About(data map[string]any) string {
	if k == nil {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines = cache(k.lines, mostKnown)
	for mime, picture := range data {
		if strings.HasPrefix(mime, "image/") {
			if line, ok := k.lines.Get(sum(mime, picture)); ok {
				return line
			}
		}
	}
	return ""
}

// sum names a picture. A file has line ends in it that the kernel's message had not, or has it line by line.
func sum(mime string, picture any) (name [sha256.Size]byte) {
	h := sha256.New()
	// A hash takes everything.
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
