package output

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/kernel"
)

func picture(n int) kernel.Event {
	return kernel.Display{Data: map[string]any{"image/png": strings.Repeat("A", n), "text/plain": "<Figure>"}}
}

// Figures are kept whatever text comes before them, as a tab shows them all.
func TestFiguresBesideALotOfText(t *testing.T) {
	var o outputs
	for range 6 {
		o.add(stdout(strings.Repeat("x", 3<<20)))
		o.add(picture(3 << 20))
	}
	o.sayOmitted()
	kept, notes := 0, 0
	for _, out := range o.list() {
		if isFigure(out["data"]) {
			kept++
		} else if text, _ := out["text"].(string); strings.Contains(text, "bytes of output were left out") {
			notes++
		}
	}
	if kept != 6 || o.figures != 0 || o.omitted == 0 || notes != 2 {
		t.Errorf("%d figures are kept, %d left out, with %d bytes of text and %d notes", kept, o.figures, o.omitted, notes)
	}
}

// Beyond their own bound figures are counted, and those that fit are still kept.
func TestFiguresAreBounded(t *testing.T) {
	var o outputs
	for range 15 {
		o.add(picture(3 << 20))
	}
	o.add(picture(100))
	o.add(stdout("text"))
	o.sayOmitted()
	if o.figureSize > figureBytesMax || o.figures != 2 || o.omitted != 0 {
		t.Errorf("%d bytes of figures are kept, %d figures left out, %d bytes of text", o.figureSize, o.figures, o.omitted)
	}
	all := o.list()
	if n := len(all); n != 16 || all[14]["text"] != "text" || !strings.Contains(all[15]["text"].(string), "figures left out: 2, of") {
		t.Errorf("%d outputs, the last of them %v", n, all[14:])
	}
	o.add(kernel.ClearOutput{})
	o.add(picture(3 << 20))
	if o.figures != 0 || len(o.list()) != 1 {
		t.Errorf("after a clear: %d figures left out", o.figures)
	}
}
