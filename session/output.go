package session

import (
	"cmp"
	"maps"
	"strings"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// outputBytesMax bounds what one run may put into the shared document.
const outputBytesMax = 16 << 20

// outputs is what a run has put out, as nbformat has it, and what of it still
// has to be written to the cell. It is not safe for concurrent use.
//
// Open tabs show a change of a cell's outputs rightly in two cases only: when
// something is put at the end, and when all of them are written anew. So a
// change is one of these two.
type outputs struct {
	items   []item
	added   []change // to be put at the end
	rewrite bool     // all has to be written anew; added is empty
	size    int      // bytes of what was taken in
	waiting int      // bytes in added or to be rewritten since the last take
	omitted int      // bytes that were left out
	clear   bool     // clear before the next output
	count   *int     // the execution count
	tail    folder   // of the last output, where that is a stream
	byID    map[string][]int
	dropped bool // the server has left out output of its own accord
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

// add takes in one event of the kernel.
func (o *outputs) add(ev kernel.Event) {
	switch e := ev.(type) {
	case kernel.Input:
		n := e.Count
		o.count = &n
	case kernel.Stream:
		o.stream(cmp.Or(e.Name, "stdout"), e.Text)
	case kernel.RateLimited:
		o.dropped = true
		o.stream("stderr", e.Text)
	case kernel.Gap:
		o.note("\n[the connection to the kernel was lost for a moment: output may be missing here]\n")
	case kernel.Display:
		if e.Update {
			o.update(e.DisplayID, e.Data, e.Metadata)
			return
		}
		o.put(ydoc.Output{"output_type": "display_data", "data": object(e.Data), "metadata": object(e.Metadata)}, e.DisplayID)
	case kernel.Result:
		n := e.Count
		o.count = &n
		o.put(ydoc.Output{"output_type": "execute_result", "execution_count": n, "data": object(e.Data), "metadata": object(e.Metadata)}, e.DisplayID)
	case kernel.Error:
		tb := make([]any, len(e.Traceback))
		for i, l := range e.Traceback {
			tb[i] = l
		}
		o.put(ydoc.Output{"output_type": "error", "ename": e.Name, "evalue": e.Value, "traceback": tb}, "")
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
	o.size = 0
}

func (o *outputs) clearIfAsked() {
	if o.clear {
		o.reset()
	}
}

// room reports whether n more bytes may be taken in, and counts them.
func (o *outputs) room(n int) bool {
	if o.size+n > outputBytesMax {
		o.omitted += n
		return false
	}
	o.size += n
	o.waiting += n
	return true
}

func (o *outputs) stream(name, text string) {
	o.clearIfAsked()
	if text == "" || !o.room(len(text)) {
		return
	}
	n := len(o.items)
	if n == 0 || o.items[n-1].stream != name {
		o.tail = folder{}
		text = o.tail.write(text)
		o.items = append(o.items, item{stream: name, text: []byte(text)})
		o.later(change{stream: name, text: text})
		return
	}
	last := &o.items[n-1]
	if o.tail.extend(text) {
		last.text = append(last.text, text...)
		o.later(change{stream: name, text: text})
		return
	}
	// Only the last line can be changed by what comes.
	old := o.tail.last()
	now := o.tail.write(text)
	last.text = append(last.text[:len(last.text)-len(old)], now...)
	if added, ok := strings.CutPrefix(now, old); ok {
		o.later(change{stream: name, text: added})
	} else {
		o.rewriteAll()
	}
}

func (o *outputs) put(out ydoc.Output, displayID string) {
	o.clearIfAsked()
	if !o.room(sizeOf(out)) {
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

// update replaces what was displayed under an id before.
func (o *outputs) update(id string, data, metadata map[string]any) {
	at := o.byID[id]
	if id == "" || len(at) == 0 {
		return
	}
	for _, i := range at {
		n := maps.Clone(o.items[i].out) // what was handed out is never changed
		n["data"], n["metadata"] = object(data), object(metadata)
		o.items[i].out = n
	}
	o.rewriteAll()
}

// note puts a line of our own at the end, whatever the bounds.
func (o *outputs) note(text string) {
	o.size = 0
	o.stream("stderr", text)
}

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

// pending reports whether there is something to write.
func (o *outputs) pending() bool { return o.rewrite || len(o.added) > 0 }

// list is all outputs as they stand.
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

// take hands over what has to be written.
func (o *outputs) take() (added []change, all []ydoc.Output, rewrite bool) {
	added, rewrite = o.added, o.rewrite
	if rewrite {
		all = o.list()
	}
	o.added, o.rewrite, o.waiting = nil, false, 0
	return added, all, rewrite
}

// sizeOf estimates the bytes of a JSON value.
func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case []any:
		n := 2
		for _, x := range v {
			n += sizeOf(x) + 1
		}
		return n
	case map[string]any:
		n := 2
		for k, x := range v {
			n += len(k) + 4 + sizeOf(x)
		}
		return n
	case ydoc.Output:
		return sizeOf(map[string]any(v))
	}
	return 8
}
