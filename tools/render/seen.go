package render

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
)

// A Seen is how much of the outputs of a run its client has seen. The zero value is nothing.
type Seen struct {
	sums  []uint64 // of each output
	lines int      // bytes of the whole lines of the last output, if it is printed text; code may still change its last line
	sum   uint64   // of these lines
}

var seed = maphash.MakeSeed()

// All returns that everything was seen.
func (c Contents) All() (s Seen) {
	text := ""
	for _, one := range c.Each {
		s.sums, text = append(s.sums, one.sum()), one.texts["text"]
	}
	s.lines = strings.LastIndexByte(text, '\n') + 1
	s.sum = maphash.String(seed, text[:s.lines])
	return s
}

// Since returns the outputs that are new or changed since a client saw the others, and the number of characters that it saw.
func (c Contents) Since(s Seen) (rest Contents, seen int) {
	at := 0
	for at < min(len(s.sums), len(c.Each)) && c.Each[at].sum() == s.sums[at] {
		at++
	}
	rest.Each = slices.Clone(c.Each[at:])
	if at < len(c.Each) && at == len(s.sums)-1 && s.lines > 0 {
		one := &rest.Each[0]
		if text := one.texts["text"]; len(text) >= s.lines && maphash.String(seed, text[:s.lines]) == s.sum {
			one.texts = map[string]string{"text": text[s.lines:]}
			one.size = textfmt.Size(text[s.lines:])
		}
	}
	for _, one := range rest.Each {
		rest.Size += one.size
	}
	return rest, c.Size - rest.Size
}

// sum returns a checksum of an output.
func (c content) sum() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	add := func(texts ...string) {
		for _, t := range texts {
			maphash.WriteComparable(&h, len(t))
			_, _ = h.WriteString(t)
		}
	}
	add(c.Kind)
	for _, mime := range slices.Sorted(maps.Keys(c.texts)) {
		add(mime, c.texts[mime])
	}
	data, _ := c.out["data"].(map[string]any)
	for _, mime := range PictureTypes {
		if data[mime] != nil {
			add(mime, MimeText(data[mime]))
		}
	}
	return h.Sum64()
}

// Count returns the sum of count over the texts of the outputs.
func (c Contents) Count(count func(text string) int) (n int) {
	for _, one := range c.Each {
		main, _ := one.Main()
		n += count(main)
	}
	return n
}
