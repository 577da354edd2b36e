package output

import "github.com/nbduet/nbduet/ydoc"

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
