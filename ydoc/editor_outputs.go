package ydoc

import (
	"cmp"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Outputs are only appended or all rewritten, and a stream grows only while it is the last output: open tabs show any
// other change wrongly.

// ClearOutputs removes a code cell's outputs and its execution count.
func (e *Editor) ClearOutputs(id string) error {
	d, err := e.code(id)
	if err != nil {
		return e.fail(err)
	}
	e.stage(d, func(x tx) {
		x.clearOutputs(d.typ)
		x.SetChanged(d.typ, keyCount, nil)
	})
	return nil
}

// StartRun resets a code cell as JupyterLab does when it runs one: no outputs, no count, state running.
func (e *Editor) StartRun(id string) error {
	d, err := e.code(id)
	if err != nil {
		return e.fail(err)
	}
	e.starts = true
	touch(e, d)
	e.stageRun(func(x tx) {
		x.clearOutputs(d.typ)
		x.SetChanged(d.typ, keyCount, nil)
		x.SetChanged(d.typ, keyState, Running)
	})
	return nil
}

// QueueRun marks a code cell as running and keeps its outputs and count: they are the last run's until the kernel
// starts the next.
func (e *Editor) QueueRun(id string) error {
	d, err := e.code(id)
	if err != nil {
		return e.fail(err)
	}
	e.starts = true
	touch(e, d)
	e.stageRun(func(x tx) { x.SetChanged(d.typ, keyState, Running) })
	return nil
}

// FinishRun sets a code cell's execution count (nil for none) and the state idle. It is the last edit of a run: tabs
// set a cell idle themselves when they receive its count.
func (e *Editor) FinishRun(id string, count *int) error {
	d, err := e.code(id)
	if err != nil {
		return e.fail(err)
	}
	var v any
	if count != nil {
		v = *count
	}
	e.stageRun(func(x tx) {
		x.SetChanged(d.typ, keyCount, v)
		x.SetChanged(d.typ, keyState, Idle)
	})
	return nil
}

// AppendStream adds text to a code cell's stream: to its last output if that is the same stream, else as a new
// output. The caller handles carriage returns and backspaces, see [Editor.ReplaceStreamTail]. The cost depends on the
// text, not on the length of the stream.
func (e *Editor) AppendStream(id, name, text string) error {
	return e.ReplaceStreamTail(id, name, 0, text)
}

// ReplaceStreamTail removes drop UTF-16 units from the end of a code cell's last output, if that is the named stream,
// and adds text in their place, writing only the difference. A drop larger than the stream means all of it; half a
// character counts as the whole. If the last output is another one, text becomes a new output.
func (e *Editor) ReplaceStreamTail(id, name string, drop int, text string) error {
	d, err := e.code(id)
	if err != nil {
		return e.fail(err)
	}
	if name == "" || !utf8.ValidString(name) {
		return e.fail(crdt.Invalidf("the stream name %.40q", name))
	}
	if drop < 0 {
		return e.fail(crdt.Invalidf("%d units to be dropped", drop))
	}
	if !utf8.ValidString(text) {
		return e.fail(crdt.Invalidf("the text is not valid UTF-8"))
	}
	d.streams += len(text)
	size := d.streams
	if d.typ != nil {
		if t := lastStream(d.typ.Child(keyOutputs, crdt.KindArray), name); t != nil {
			size += t.Len()
		}
	}
	if size > e.n.limits.TextBytes {
		return e.fail(tooLargef("a stream of %d bytes, at most %d are allowed", size, e.n.limits.TextBytes))
	}
	e.stageRun(func(x tx) { x.appendStream(x.outputs(d.typ), name, drop, text) })
	return nil
}

// AppendOutput adds an output after the others, in nbformat's form: keys unknown to nbformat are dropped, required
// keys are added. A stream is added as in [Editor.AppendStream].
func (e *Editor) AppendOutput(id string, out Output) error {
	d, err := e.code(id)
	if err != nil {
		return e.fail(err)
	}
	o, err := e.checkOutput(out)
	if err != nil {
		return e.fail(err)
	}
	e.stageRun(func(x tx) { x.appendOutput(x.outputs(d.typ), o) })
	return nil
}

// SetOutputs replaces all outputs of a code cell.
func (e *Editor) SetOutputs(id string, outs []Output) error {
	d, err := e.code(id)
	if err != nil {
		return e.fail(err)
	}
	checked := make([]Output, len(outs))
	for i, out := range outs {
		if checked[i], err = e.checkOutput(out); err != nil {
			return e.fail(err)
		}
	}
	touch(e, d)
	e.stageRun(func(x tx) {
		list := x.outputs(d.typ)
		x.clearOutputs(d.typ)
		for _, o := range checked {
			x.appendOutput(list, o)
		}
	})
	return nil
}

// OutputFields are the fields of each output type in nbformat 4, besides output_type.
var OutputFields = map[string][]string{
	"stream":         {"name", "text"},
	"display_data":   {"data", "metadata"},
	"execute_result": {"data", "metadata", "execution_count"},
	"error":          {"ename", "evalue", "traceback"},
}

// checkOutput brings an output into nbformat's form.
func (e *Editor) checkOutput(out Output) (Output, error) {
	keys, ok := OutputFields[out.Type()]
	if !ok {
		return nil, crdt.Invalidf("the output type %.40q: it must be stream, display_data, execute_result or error", out.Type())
	}
	o := Output{"output_type": out.Type()}
	for _, k := range keys {
		v, err := crdt.Plain(out[k], e.n.limits.Depth)
		if err != nil {
			return nil, err
		}
		o[k] = outputPart(k, v)
	}
	if s, ok := o["text"].(string); ok && len(s) > e.n.limits.TextBytes {
		return nil, tooLargef("a stream of %d bytes, at most %d are allowed", len(s), e.n.limits.TextBytes)
	}
	return o, nil
}

// outputPart converts a value of an output to the type that nbformat requires for that key.
func outputPart(key string, v any) any {
	switch key {
	case "data", "metadata":
		return objectOr(v)
	case "execution_count":
		if i, ok := v.(int); ok && i >= 0 {
			return i
		}
		return nil
	case "traceback":
		l, _ := v.([]any)
		return lo.Map(l, func(line any, _ int) any { return stringValue(line) })
	case "text":
		return JoinText(v, "")
	case "name":
		return cmp.Or(stringValue(v), "stdout")
	}
	return stringValue(v)
}

// outputs returns the list of a code cell's outputs. It makes a missing list, and replaces a plain list by a shared
// copy.
func (x tx) outputs(cell *crdt.Type) *crdt.Type {
	if t := cell.Child(keyOutputs, crdt.KindArray); t != nil {
		return t
	}
	was := outputsValue(cell.Get(keyOutputs))
	t := x.SetType(cell, keyOutputs, crdt.KindArray)
	for _, o := range was {
		x.appendOutput(t, o)
	}
	return t
}

func (x tx) clearOutputs(cell *crdt.Type) {
	t := x.outputs(cell)
	x.Remove(t, 0, t.Len())
}

// lastStream returns the text of the last output if that is the named stream.
func lastStream(outputs *crdt.Type, name string) *crdt.Type {
	if outputs == nil {
		return nil
	}
	o := outputs.Last()
	if o == nil || o.Kind() != crdt.KindMap || stringValue(o.Get("output_type")) != "stream" || stringValue(o.Get("name")) != name {
		return nil
	}
	return o.Child("text", crdt.KindText)
}

// appendStream removes drop units from the end of the last output, if that is the named stream, and adds s.
func (x tx) appendStream(outputs *crdt.Type, name string, drop int, s string) {
	if t := lastStream(outputs, name); t != nil {
		drop, s = sameTail(t, drop, s)
		x.RemoveText(t, t.Len()-drop, drop)
		x.InsertText(t, t.Len(), s)
		return
	}
	// A stream stored as a plain object, as some servers write it, cannot grow, and two streams of one name in a row
	// are displayed garbled: the last output is replaced by a new, complete one.
	if o := Output(objectValue(outputs.LastValue())); o.Type() == "stream" && stringValue(o["name"]) == name {
		old := JoinText(o["text"], "")
		s = old[:textdiff.ByteOffset(old, textdiff.UTF16Len(old)-drop)] + s
		x.Remove(outputs, outputs.Len()-1, 1)
	}
	m := x.InsertType(outputs, outputs.Len(), crdt.KindMap)
	x.Set(m, "output_type", "stream")
	x.Set(m, "name", name)
	x.InsertText(x.SetType(m, "text", crdt.KindText), 0, s)
}

// sameTail reduces the replacement of the last drop units of a text by s to the difference.
func sameTail(t *crdt.Type, drop int, s string) (int, string) {
	tail, drop := t.Tail(drop)
	same := textdiff.EqualPrefix(tail, s)
	for same < len(s) && !utf8.RuneStart(s[same]) {
		same--
	}
	return drop - textdiff.UTF16Len(s[:same]), s[same:]
}

// appendOutput adds an output in jupyter_ydoc's shared types: a map of plain values in which only the text of a
// stream is shared.
func (x tx) appendOutput(outputs *crdt.Type, o Output) {
	if o.Type() == "stream" {
		x.appendStream(outputs, stringValue(o["name"]), 0, JoinText(o["text"], ""))
		return
	}
	m := x.InsertType(outputs, outputs.Len(), crdt.KindMap)
	for _, k := range sortedKeys(o) {
		x.Set(m, k, o[k])
	}
}
