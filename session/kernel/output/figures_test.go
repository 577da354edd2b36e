package output

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/kernel"
)

func picture(n int) kernel.Event {
	return kernel.Display{Data: map[string]any{"image/png": strings.Repeat("A", n), "text/plain": "<Figure>"}}
}

// Figures are kept regardless of the text before them, as a tab shows them all.
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
	test.Eq(t, 6, kept)
	test.Eq(t, 0, o.figures)
	test.NotEq(t, 0, o.omitted)
	test.Eq(t, 2, notes)
}

// Beyond their own bound figures are counted, and smaller ones that fit are still kept.
func TestFiguresAreBounded(t *testing.T) {
	var o outputs
	for range 15 {
		o.add(picture(3 << 20))
	}
	o.add(picture(100))
	o.add(stdout("text"))
	o.sayOmitted()
	test.LessEq(t, figureBytesMax, o.figureSize)
	test.Eq(t, 2, o.figures)
	test.Eq(t, 0, o.omitted)
	all := o.list()
	n := len(all)
	test.Eq(t, 16, n)
	test.EqOp[any](t, "text", all[14]["text"])
	test.StrContains(t, all[15]["text"].(string), "figures left out: 2, of")
	o.add(kernel.ClearOutput{})
	o.add(picture(3 << 20))
	test.Eq(t, 0, o.figures, test.Sprint("after a clear"))
	test.SliceLen(t, 1, o.list(), test.Sprint("after a clear"))
}
