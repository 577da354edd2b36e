package output

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nbduet/nbduet/ydoc"
)

const (
	// outputBytesMax bounds one run's output in the shared document, figures not counted.
	outputBytesMax = 8 << 20
	// figureBytesMax bounds its figures, which a tab shows all, regardless of the amount of text.
	figureBytesMax = 40 << 20
	// errorReserve is extra space for an error: the reason for a run's end matters more than its printed text.
	errorReserve = 256 << 10
	// itemBytes is about the cost of an output apart from its text.
	itemBytes = 128
	// restBytesMax bounds the end of the left-out text that is kept in memory.
	restBytesMax = 256 << 10
)

// rateNote marks where the Jupyter server has left out output.
const rateNote = "\n[output is missing here: more came at once than the Jupyter server passes on. " +
	"It passes more with --ServerApp.iopub_data_rate_limit (bytes of text a second) and --ServerApp.iopub_msg_rate_limit (messages a second)]\n"

// excess is a run's output beyond its bounds: its size, the end of its text, and the spool with all of it.
type excess struct {
	omitted int    // bytes, figures not counted
	figures int    // how many figures
	figured int    // their bytes
	said    int    // how many of them the cell's note reports as left out
	saidAt  int    // the number of outputs at the last note
	rest    []byte // may grow to twice the kept size
	spool   *spool // has the text, or nil
}

// admitText returns the part of a text that fits, and keeps the end of the rest. After the first omission it omits all
// later text, because a truncated output is better than one with holes.
func (o *outputs) admitText(text string, newItem bool) string {
	room := outputBytesMax - o.size
	if newItem {
		room -= itemBytes
	}
	if o.omitted > 0 {
		room = 0
	}
	if len(text) <= room {
		return text
	}
	room = max(room, 0)
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	over := text[room:]
	o.omitted += len(over)
	o.waiting += len(over)
	o.rest = append(o.rest, over[max(0, len(over)-restBytesMax):]...)
	if len(o.rest) > 2*restBytesMax {
		o.rest = append(o.rest[:0], o.rest[len(o.rest)-restBytesMax:]...)
	}
	o.spoolText(over)
	return text[:room]
}

func (o *outputs) spoolText(text string) {
	if o.spool == nil {
		if o.stores.Spools == nil {
			return
		}
		o.spool = &spool{all: o.stores.Spools}
	}
	o.spool.write(text)
}

// isFigure reports whether an output shows a picture.
func isFigure(data any) bool {
	m, _ := data.(map[string]any)
	for mime := range m {
		if strings.HasPrefix(mime, "image/") || strings.HasPrefix(mime, "application/vnd.") { // plotly, vega
			return true
		}
	}
	return false
}

// admitFigure reports whether a figure of n bytes fits, and counts it.
func (o *outputs) admitFigure(n int) bool {
	if o.omitted > 0 && o.said == 0 {
		o.sayOmitted() // once, before the figures that follow
	}
	if o.figureSize+n > figureBytesMax {
		o.figures++
		o.figured += n
		return false
	}
	o.figureSize += n
	o.waiting += n
	return true
}

// admit reports whether an output of n bytes fits, and counts it.
func (o *outputs) admit(n int, kind string) bool {
	switch {
	case kind == "error" && o.size+n <= outputBytesMax+errorReserve:
		o.sayOmitted()
	case o.omitted > 0, o.size+n > outputBytesMax:
		o.omitted += n
		o.spoolText(fmt.Sprintf("\n[an output of type %s, %d bytes, is not kept]\n", kind, n))
		return false
	}
	o.size += n
	o.waiting += n
	return true
}

// sayOmitted puts a note where output was left out, unless the last note already says so.
func (o *outputs) sayOmitted() {
	if o.omitted+o.figured == o.said {
		return
	}
	o.said = o.omitted + o.figured
	var says []string
	if o.omitted > 0 {
		says = append(says, fmt.Sprintf("%d bytes of output were left out of the notebook here; their text is kept for a while, as output -1 of the run %q",
			o.omitted, o.run))
	}
	if o.figures > 0 {
		says = append(says, fmt.Sprintf("figures left out: %d, of %d bytes: a run may put %d MiB of figures into the notebook", o.figures, o.figured, figureBytesMax>>20))
	}
	// This does not use note, because outputs to be cleared before the next one stay if none comes.
	o.writeNote("\n[" + strings.Join(says, "; ") + "]\n")
	o.saidAt = len(o.items)
}

// remembered returns all outputs, and, after the note about it, the end of the left-out text.
func (o *outputs) remembered() []ydoc.Output {
	all := o.list()
	if len(o.rest) == 0 {
		return all
	}
	at := len(all)
	if o.said > 0 {
		at = min(o.saidAt, at)
	}
	return slices.Insert(all, at, ydoc.Output{"output_type": "stream", "name": "stdout", "text": fold(o.restText())})
}

// restText returns the end of the left-out text.
func (o *outputs) restText() string {
	rest := o.rest[max(0, len(o.rest)-restBytesMax):]
	for len(rest) > 0 && !utf8.RuneStart(rest[0]) {
		rest = rest[1:]
	}
	return string(rest)
}

// Size estimates the bytes of a JSON value, or of a list of outputs.
func Size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case []ydoc.Output:
		n := 2
		for _, x := range v {
			n += Size(x) + itemBytes
		}
		return n
	case []any:
		n := 2
		for _, x := range v {
			n += Size(x) + 1
		}
		return n
	case map[string]any:
		n := 2
		for k, x := range v {
			n += len(k) + 4 + Size(x)
		}
		return n
	case ydoc.Output:
		return Size(map[string]any(v))
	}
	return 8
}
