package labextension_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
)

// A person asks about a cell, and about a region of a picture: the agent gets the question as a mention.
func TestAsk(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("axis = 0"), kit.Code("import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])"))
	tab := open(t, path)
	claude := kit.StartAgent(t)
	kit.ReadCells(t, claude, path)
	test.Eq(t, "", call(t, claude, "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 1}}}))
	must.NoError(t, tab.WaitVisible(ctx, ".jp-OutputArea-child img"))
	asked := func(question string) string {
		t.Helper()
		must.NoError(t, tab.WaitVisible(ctx, ".jp-Dialog input"))
		must.NoError(t, tab.Press(ctx, kb.End))
		must.NoError(t, tab.Type(ctx, question))
		tab.Shoot("dialog")
		must.NoError(t, tab.Press(ctx, kb.Enter))
		answer, err := claude.Call(ctx, "wait_for_mention", map[string]any{"path": path, "timeout": 60})
		must.NoError(t, err)
		return answer.Text
	}
	tab.menu(`.jp-Notebook-cell[data-windowed-list-index="0"] .jp-InputPrompt`, "nbduet:ask-cell")
	got := asked("why zero?")
	test.StrContains(t, got, "why zero? ([this cell](#cell-id=cell-0))")

	tab.menu(`.jp-OutputArea-child img`, "nbduet:ask-output")
	must.NoError(t, tab.WaitVisible(ctx, ".nbduet-region"))
	_, err := browser.Eval[bool](ctx, tab.Tab, `(pane => {
		const {left, top} = pane.getBoundingClientRect()
		pane.setPointerCapture = () => {}
		for (const [type, x, y] of [["pointerdown", 20, 10], ["pointermove", 90, 40], ["pointerup", 120, 60]])
			pane.dispatchEvent(new PointerEvent(type, {bubbles: true, clientX: left + x, clientY: top + y, pointerId: 1}))
		return true
	})(document.querySelector(".nbduet-region"))`)
	must.NoError(t, err)
	got = asked("how many?")
	test.StrContains(t, got, "how many? ([output 0, image/png, region x=20 y=10 width=100 height=50](#cell-id=cell-1))")
	tab.Shoot("asked")
}
