package output

import (
	"bytes"
	"cmp"
	"maps"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// outputs is a run's output in nbformat's form, and the part of it that must still be written to the cell. It is not safe
// for concurrent use.
//
// Open tabs show a change of a cell's outputs correctly in two cases only: when an output is appended, and when all are
// rewritten. So a change is one of these two.
type outputs struct {
	run     string // its id
	stores  Stores
	items   []item
	added   []change // to be put at the end
	rewrite bool     // all must be written anew; added is empty
	size    int      // bytes of the present outputs, figures not counted
	// figureSize is the bytes of the present figures.
	figureSize int
	waiting    int    // bytes received since the last take
	excess            // the left-out output
	clear      bool   // clear before the next output
	count      *int   // the execution count
	tail       folder // of the last output, where that is a stream
	byID       map[string][]int
	updates    map[string]kernel.Display // of displays that other cells may show
	dropped    bool                      // the server has dropped output because of its limits
	gap        bool                      // the last event was a gap
}

// item is one output. A stream's text grows in place.
type item struct {
	stream string // the stream's name; "" for any other output
	text   []byte
	out    ydoc.Output
}

// change is text for a stream, or one whole output.
type change struct {
	stream string
	text   string
	out    ydoc.Output
}

// add applies one event of the kernel.
func (o *outputs) add(ev kernel.Event) {
	gap := o.gap
	_, o.gap = ev.(kernel.Gap)
	switch e := ev.(type) {
	case kernel.Input:
		n := e.Count
		o.count = &n
	case kernel.Stream:
		o.stream(cmp.Or(e.Name, "stdout"), e.Text)
	case kernel.RateLimited:
		if !o.dropped { // once is enough: the event repeats
			o.dropped = true
			o.note(rateNote)
		}
	case kernel.Gap:
		if gap { // nothing has come since the last one
			return
		}
		o.note("\n[the connection to the kernel was lost for a moment: output may be missing here]\n")
	case kernel.Display:
		e.Data = o.stores.Figures.Take(e.Data)
		if e.Update {
			o.update(e.DisplayID, e.Data, e.Metadata)
			return
		}
		o.put(ydoc.Output{"output_type": "display_data", "data": object(e.Data), "metadata": object(e.Metadata)}, e.DisplayID)
	case kernel.Result:
		n := e.Count
		o.count = &n
		e.Data = o.stores.Figures.Take(e.Data)
		o.put(ydoc.Output{"output_type": "execute_result", "execution_count": n, "data": object(e.Data), "metadata": object(e.Metadata)}, e.DisplayID)
	case kernel.Error:
		o.put(ydoc.Output{"output_type": "error", "ename": e.Name, "evalue": e.Value, "traceback": lo.ToAnySlice(e.Traceback)}, "")
	case kernel.Model:
		o.stores.Figures.Model(e.ID, e.State)
	case kernel.ClearOutput:
		if e.Wait {
			o.clear = true
		} else {
			o.reset()
		}
	}
}

func object(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func (o *outputs) reset() {
	o.items, o.added, o.byID, o.clear = nil, nil, nil, false
	o.rewrite = true
	o.size, o.figureSize = 0, 0
	o.spool.drop()
	o.excess = excess{}
}

func (o *outputs) clearIfAsked() {
	if o.clear {
		o.reset()
	}
}

func (o *outputs) stream(name, text string) {
	o.clearIfAsked()
	if text = o.admitText(text, o.last() != name); text != "" {
		o.write(name, text)
	}
}

// last returns the stream's name if the last output is a stream, else "".
func (o *outputs) last() string {
	if n := len(o.items); n > 0 {
		return o.items[n-1].stream
	}
	return ""
}

// write puts text at the end of a stream, regardless of the bounds.
func (o *outputs) write(name, text string) {
	o.waiting += len(text)
	if o.last() != name {
		o.tail = folder{}
		text = o.tail.write(text)
		o.items = append(o.items, item{stream: name, text: []byte(text)})
		o.size += len(text) + itemBytes
		o.later(change{stream: name, text: text})
		return
	}
	last := &o.items[len(o.items)-1]
	if o.tail.extend(text) {
		last.text = append(last.text, text...)
		o.size += len(text)
		o.later(change{stream: name, text: text})
		return
	}
	// Later text can change only the last line.
	old := o.tail.last()
	now := o.tail.write(text)
	last.text = append(last.text[:len(last.text)-len(old)], now...)
	o.size += len(now) - len(old)
	if added, ok := strings.CutPrefix(now, old); ok {
		o.later(change{stream: name, text: added})
	} else {
		o.rewriteAll()
	}
}

func (o *outputs) put(out ydoc.Output, displayID string) {
	o.clearIfAsked()
	kind, _ := out["output_type"].(string)
	n := Size(out) + itemBytes
	if isFigure(out["data"]) {
		if !o.admitFigure(n) {
			return
		}
	} else if !o.admit(n, kind) {
		return
	}
	if displayID != "" {
		if o.byID == nil {
			o.byID = make(map[string][]int)
		}
		o.byID[displayID] = append(o.byID[displayID], len(o.items))
	}
	o.items = append(o.items, item{out: out})
	o.later(change{out: out})
}

// update replaces the display with an id, here and in other cells.
func (o *outputs) update(id string, data, metadata map[string]any) {
	if id == "" {
		return
	}
	size := Size(data) + Size(metadata)
	if _, ok := o.updates[id]; ok || len(o.updates) < displaysKept {
		if o.updates == nil {
			o.updates = make(map[string]kernel.Display)
		}
		o.updates[id] = kernel.Display{Data: data, Metadata: metadata}
		o.waiting += size
	}
	for _, i := range o.byID[id] {
		old := o.items[i].out
		grown := size - Size(old["data"]) - Size(old["metadata"])
		used, most := &o.size, outputBytesMax
		if isFigure(old["data"]) || isFigure(data) {
			used, most = &o.figureSize, figureBytesMax
		}
		if *used+grown > most {
			continue // it does not fit: the former one stays
		}
		*used += grown
		n := maps.Clone(old) // outputs handed out never change
		n["data"], n["metadata"] = object(data), object(metadata)
		o.items[i].out = n
		o.rewriteAll()
	}
}

// takeUpdates returns the display updates for other cells.
func (o *outputs) takeUpdates() map[string]kernel.Display {
	up := o.updates
	o.updates = nil
	return up
}

// places returns the outputs of the run with updatable displays.
func (o *outputs) places(cell string) Places {
	all := make(Places, len(o.byID))
	for id, at := range o.byID {
		for _, i := range at {
			if sum, ok := fingerprint(o.items[i].out); ok {
				all[id] = append(all[id], place{cell, i, sum})
			}
		}
	}
	return all
}

// note appends a line from nbduet, regardless of the bounds.
func (o *outputs) note(text string) {
	o.clearIfAsked()
	o.writeNote(text)
}

// writeNote writes a line from nbduet. The newline at the start of text separates it from the program's output there, and
// is omitted where it would only make an empty line.
func (o *outputs) writeNote(text string) {
	if o.last() != noteStream || o.items[len(o.items)-1].endsWith("\n") {
		text = strings.TrimPrefix(text, "\n")
	}
	o.write(noteStream, text)
}

// noteStream is the stream of nbduet's notes.
const noteStream = "stderr"

func (i *item) endsWith(text string) bool { return bytes.HasSuffix(i.text, []byte(text)) }

func (o *outputs) later(c change) {
	if o.rewrite {
		return
	}
	if n := len(o.added); n > 0 && c.out == nil && o.added[n-1].out == nil && o.added[n-1].stream == c.stream {
		o.added[n-1].text += c.text
		return
	}
	o.added = append(o.added, c)
}

func (o *outputs) rewriteAll() {
	o.rewrite, o.added = true, nil
}

// pending reports whether there are unwritten changes.
func (o *outputs) pending() bool { return o.rewrite || len(o.added) > 0 }

// list returns all outputs.
func (o *outputs) list() []ydoc.Output {
	all := make([]ydoc.Output, len(o.items))
	for i, it := range o.items {
		if it.stream == "" {
			all[i] = it.out
		} else {
			all[i] = ydoc.Output{"output_type": "stream", "name": it.stream, "text": string(it.text)}
		}
	}
	return all
}

// take returns the changes to be written.
func (o *outputs) take() (added []change, all []ydoc.Output, rewrite bool) {
	added, rewrite = o.added, o.rewrite
	if rewrite {
		all = o.list()
	}
	o.added, o.rewrite, o.waiting = nil, false, 0
	return added, all, rewrite
}

// kept marks all output as written, for a run without a cell.
func (o *outputs) kept() {
	o.added, o.rewrite, o.waiting, o.updates = nil, false, 0, nil
}
