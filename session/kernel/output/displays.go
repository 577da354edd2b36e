package output

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// displaysKept is how many display ids a document remembers.
	displaysKept = 1024
	// placesKept is how many outputs are remembered for one display id.
	placesKept = 32
)

// place is an output that shows a display: an index in a cell's outputs, with the fingerprint of the output there, because
// other clients write outputs, too.
type place struct {
	cell  string
	index int
	print [sha256.Size]byte
}

// fingerprint identifies outputs by content.
func fingerprint(o ydoc.Output) (sum [sha256.Size]byte, ok bool) {
	b, err := json.Marshal([]any{o["output_type"], o["data"]})
	if err != nil {
		return sum, false // a number without a JSON form
	}
	return sha256.Sum256(b), true
}

// Places are a cell's outputs that show updatable displays, by the displays' ids.
type Places map[string][]place

// Displays remembers which outputs of our runs show a display that another cell can update. Open tabs do not update
// them: they follow only the displays of their own runs.
type Displays struct {
	mu   sync.Mutex
	byID *lru.Cache[string, []place]
}

// NewDisplays returns an empty Displays.
func NewDisplays() *Displays {
	return &Displays{byID: lo.Must(lru.New[string, []place](displaysKept))}
}

// Enter remembers the displays that a run has left in its cell.
func (s *Displays) Enter(cell string, shown Places) {
	s.Leave(cell)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(shown)) {
		old, _ := s.byID.Get(id)
		all := slices.Concat(old, shown[id])
		s.byID.Add(id, all[max(0, len(all)-placesKept):])
	}
}

// Leave forgets the displays of a cell, because it runs again.
func (s *Displays) Leave(cell string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.byID.Keys() {
		places, _ := s.byID.Peek(id)
		rest := slices.DeleteFunc(slices.Clone(places), func(p place) bool { return p.cell == cell })
		switch {
		case len(rest) == 0:
			s.byID.Remove(id)
		case len(rest) < len(places):
			s.byID.Add(id, rest)
		}
	}
}

// Update changes all outputs that still show the display of that id unchanged, in one edit. It forgets changed ones.
func (s *Displays) Update(ctx context.Context, nb Notebook, id string, up kernel.Display) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	places, _ := s.byID.Get(id)
	if len(places) == 0 {
		return nil
	}
	var kept []place
	err := nb.Edit(ctx, "update display", func(e *ydoc.Editor) error {
		kept = nil
		outs := map[string][]ydoc.Output{}
		for _, p := range places {
			if _, ok := outs[p.cell]; !ok {
				c, _ := e.Cell(p.cell)
				outs[p.cell] = slices.Clone(c.Outputs)
			}
			all := outs[p.cell]
			if p.index >= len(all) {
				continue
			}
			if now, ok := fingerprint(all[p.index]); !ok || now != p.print {
				continue
			}
			all[p.index] = maps.Clone(all[p.index])
			all[p.index]["data"], all[p.index]["metadata"] = object(up.Data), object(up.Metadata)
			if sum, ok := fingerprint(all[p.index]); ok {
				kept = append(kept, place{p.cell, p.index, sum})
			}
		}
		for _, p := range kept {
			if all := outs[p.cell]; all != nil {
				if err := e.SetOutputs(p.cell, all); err != nil {
					return err
				}
				delete(outs, p.cell)
			}
		}
		return nil
	})
	if err == nil {
		s.byID.Add(id, kept)
	}
	return err
}

// resume takes over the outputs of a continued run. New output is appended, and the first write writes all of them, because
// a note may have been removed.
func (o *outputs) resume(before []ydoc.Output) {
	if before != nil {
		o.hold(before)
		o.rewriteAll()
	}
}

func (o *outputs) hold(before []ydoc.Output) {
	for _, out := range before {
		name, _ := out["name"].(string)
		text, _ := out["text"].(string)
		if out["output_type"] != "stream" || name == "" {
			o.items = append(o.items, item{out: out})
			o.size += Size(out) + itemBytes
			continue
		}
		o.tail = folder{}
		o.items = append(o.items, item{stream: name, text: []byte(o.tail.write(text))})
		o.size += len(text) + itemBytes
	}
}

// WithoutNote returns outputs without our note at their end; false if it is missing.
func WithoutNote(outs []ydoc.Output, note string) ([]ydoc.Output, bool) {
	var o outputs
	o.hold(outs)
	if n := len(o.items); n > 0 && o.items[n-1].stream == noteStream && o.items[n-1].endsWith(note) {
		last := &o.items[n-1]
		last.text = last.text[:len(last.text)-len(note)]
		if len(last.text) == 0 {
			o.items = o.items[:n-1]
		}
		return o.list(), true
	}
	return outs, false
}
